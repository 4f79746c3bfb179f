import assert from "node:assert/strict";
import { test } from "node:test";
import type { UnknownObject } from "../model/json.ts";
import type { Session } from "../protocol/session.ts";
import { createServerCatalogue, type Remembered } from "./server-catalogue.ts";
import { createServerLog } from "./server-log.ts";

/** A catalogue of a server that answers like this. */
function sample(answer: () => unknown, session: Partial<Session> = {}) {
  const asked: string[] = [];
  const told: [tools: unknown[], era: string][] = [];
  const known: Remembered[] = [];
  const log = createServerLog(() => (text) => text);
  const catalogue = createServerCatalogue({
    listingTtlMs: 60_000,
    limitMs: 10_000,
    session: async () =>
      ({
        era: "legacy",
        capabilities: { tools: {} },
        async request(method: string) {
          asked.push(method);
          return answer();
        },
        ...session,
      }) as Session,
    isOpen: () => true,
    verdict: () => ({ era: session.era ?? "legacy", at: Date.UTC(2026, 0, 1) }),
    log,
    hide: (text) => text.replaceAll("hunter2", "[redacted]"),
    onTools: (tools, era) => told.push([tools, era]),
    onKnown: (remembered) => known.push(remembered),
  });
  return { catalogue, asked, told, known, log };
}

const tool = (name: string, inputSchema: UnknownObject = { type: "object" }) => ({ name, inputSchema });

test("what a server lists is told, remembered with when, and can be looked up", async () => {
  const tools = [tool("a", { type: "object", title: "A" }), "no tool", tool("b")];
  const { catalogue, told, known } = sample(() => ({ tools }), { era: "modern" });
  assert.deepEqual([catalogue.isKnown(), catalogue.size()], [false, 0]);
  await catalogue.list();
  assert.deepEqual(told, [[tools, "modern"]]);
  assert.deepEqual([catalogue.isKnown(), catalogue.size(), catalogue.failure()], [true, 2, null]);
  assert.equal(catalogue.toolOf("a"), tools[0]);
  assert.deepEqual([catalogue.toolOf("c"), catalogue.toolOf(undefined)], [undefined, undefined]);
  assert.deepEqual(known, [
    {
      era: "modern",
      eraAt: "2026-01-01T00:00:00.000Z",
      listedAt: new Date(catalogue.listedAt() ?? 0).toISOString(),
      tools,
    },
  ]);
});

test("a listing that fails says why without secrets, and keeps what was known", async () => {
  let answer: unknown = { tools: [tool("a")] };
  const { catalogue, log } = sample(() => {
    if (answer instanceof Error) throw answer;
    return answer;
  });
  await catalogue.list();
  answer = new Error("no hunter2");
  await assert.rejects(catalogue.list({ force: true }));
  assert.equal(catalogue.failure(), "listing its tools failed: no [redacted]");
  assert.equal(catalogue.size(), 1);
  assert.deepEqual(
    log.lines().map(({ level, text }) => [level, text]),
    [["error", "listing its tools failed: no [redacted]"]],
  );
  answer = { tools: [] };
  await catalogue.list({ force: true });
  assert.deepEqual([catalogue.failure(), catalogue.size()], [null, 0]);
});

test("what is odd about a listing is a warning in the log", async () => {
  const { catalogue, log } = sample(() => ({ tools: [], nextCursor: "same" }));
  await catalogue.list();
  assert.match(log.lines()[0]?.text ?? "", /same cursor/);
});

test("what was listed in an earlier life is known, and is replaced by what is listed now", async () => {
  const { catalogue, told, known, asked } = sample(() => ({ tools: [tool("new")] }));
  const listedAt = new Date(Date.now() - 1_000).toISOString();
  const earlier: Remembered = { era: "legacy", eraAt: listedAt, listedAt, tools: [tool("old")] };
  catalogue.recall(earlier);
  assert.deepEqual([catalogue.isKnown(), catalogue.listedAt()], [true, Date.parse(listedAt)]);
  assert.deepEqual([told.length, known.length], [1, 0]);
  await catalogue.list();
  assert.equal(asked.length, 0, "it is fresh");
  await catalogue.list({ force: true });
  assert.ok(catalogue.toolOf("new") && !catalogue.toolOf("old"));
  catalogue.recall(earlier);
  assert.ok(!catalogue.toolOf("old"));
});

test("a server without tools is not asked for them, now or later", async () => {
  const { catalogue, asked } = sample(() => assert.fail("Method not found"), {
    capabilities: { prompts: {} },
  });
  await catalogue.list();
  assert.deepEqual([catalogue.isKnown(), catalogue.size()], [true, 0]);
  await catalogue.list({ force: true });
  assert.deepEqual([asked, catalogue.failure()], [[], null]);
  assert.notEqual(catalogue.listedAt(), null);
});

test("what is listed again as it was is told once, and what changed is told with the rest as it was", async () => {
  let names = ["a", "b"];
  const { catalogue, told, known } = sample(() => ({ tools: names.map((name) => tool(name)) }));
  await catalogue.list({ force: true });
  await catalogue.list({ force: true });
  assert.equal(told.length, 1);
  assert.equal(known.length, 2, "that it is still so is remembered");
  assert.equal(known[1]?.tools, known[0]?.tools);
  names = ["a", "c"];
  await catalogue.list({ force: true });
  assert.equal(told.length, 2);
  assert.equal(told[1]?.[0][0], told[0]?.[0][0]);
  assert.deepEqual([catalogue.toolOf("c")?.name, catalogue.toolOf("b")], ["c", undefined]);
  catalogue.forgetAll();
  await catalogue.list();
  assert.equal(told.length, 3, "what was forgotten is told again");
});
