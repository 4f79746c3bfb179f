import assert from "node:assert/strict";
import { test } from "node:test";
import type { UnknownObject } from "../model/json.ts";
import { type ListMethod, listings } from "../protocol/list-all.ts";
import { RpcError } from "../protocol/message.ts";
import type { Session } from "../protocol/session.ts";
import {
  type CachedLists,
  createServerCatalogue,
  type ServerCatalogue,
} from "./server-catalogue.ts";
import { createServerLog } from "./server-log.ts";

/** A catalogue of a server that answers like this. */
function sample(answer: (method: string) => unknown, session: Partial<Session> = {}) {
  const asked: string[] = [];
  const news: string[] = [];
  const told: [tools: unknown[], era: string][] = [];
  const known: CachedLists[] = [];
  const log = createServerLog((text) => text);
  const catalogue = createServerCatalogue({
    listingTtlMs: 60_000,
    limitMs: 10_000,
    session: async () =>
      ({
        era: "legacy",
        capabilities: { tools: {} },
        async request(method: string) {
          asked.push(method);
          return answer(method);
        },
        ...session,
      }) as Session,
    isOpen: () => true,
    verdict: () => ({ era: session.era ?? "legacy", at: Date.UTC(2026, 0, 1) }),
    log,
    hide: (text) => text.replaceAll("hunter2", "[redacted]"),
    onTools: (tools, era) => told.push([tools, era]),
    onOffers: (list) => news.push(list),
    onKnown: (remembered) => known.push(remembered),
  });
  return { catalogue, asked, told, known, log, news };
}

const tool = (name: string, inputSchema: UnknownObject = { type: "object" }) => ({
  name,
  inputSchema,
});

test("what a server lists is reported, remembered with when, and can be looked up", async () => {
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
      offers: {},
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
  const earlier: CachedLists = { era: "legacy", eraAt: listedAt, listedAt, tools: [tool("old")] };
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

test("what is listed again as it was is reported once, and what changed is reported with the rest as it was", async () => {
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
  assert.equal(told.length, 3, "what was forgotten is reported again");
});

/** The four lists of a server are kept, asked for and asked for again by the same rules. */
const lists: {
  method: ListMethod;
  list(catalogue: ServerCatalogue): Promise<void>;
  items(catalogue: ServerCatalogue): unknown[] | null;
}[] = [
  {
    method: "tools/list",
    list: (catalogue) => catalogue.list(),
    items: (catalogue) =>
      catalogue.isKnown() ? [catalogue.toolOf("a") ?? catalogue.toolOf("b")] : null,
  },
  ...(["prompts/list", "resources/list", "resources/templates/list"] as const).map((method) => ({
    method,
    list: (catalogue: ServerCatalogue) => catalogue.listOffer(method),
    items: (catalogue: ServerCatalogue) => catalogue.offered(method),
  })),
];
const capabilities = { tools: {}, prompts: {}, resources: {} };
const item = (name: string) => ({ name, uri: `x://${name}`, inputSchema: { type: "object" } });

for (const { method, list, items } of lists) {
  const key = listings[method];
  const [noticed] = method.split("/");
  const answering = (names: () => string) => () => ({ [key]: [item(names())] });

  test(`${method}: what is fresh is asked for once, and again in the next process`, async () => {
    const { catalogue, asked } = sample(
      answering(() => "a"),
      { capabilities },
    );
    assert.equal(items(catalogue), null);
    await list(catalogue);
    await list(catalogue);
    assert.deepEqual([asked, items(catalogue)], [[method], [item("a")]]);
    catalogue.renew();
    assert.deepEqual(items(catalogue), [item("a")], "it is known meanwhile");
    await list(catalogue);
    assert.deepEqual(asked, [method, method]);
  });

  test(`${method}: a notice of change makes it not fresh`, async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
    t.mock.method(performance, "now", () => Date.now() - performance.timeOrigin);
    let name = "a";
    const { catalogue, asked } = sample(
      answering(() => name),
      { capabilities },
    );
    await list(catalogue);
    name = "b";
    catalogue.listChanged(noticed ?? "");
    const listed = list(catalogue);
    t.mock.timers.tick(500);
    await listed;
    catalogue.stop();
    assert.deepEqual(
      [asked.filter((one) => one === method).length, items(catalogue)],
      [2, [item("b")]],
    );
  });

  test(`${method}: a server without the capability is asked for nothing`, async () => {
    const { catalogue, asked } = sample(() => assert.fail("it was asked"), { capabilities: {} });
    await list(catalogue);
    assert.equal(asked.length, 0);
    assert.equal(items(catalogue)?.filter((one) => one !== undefined).length, 0);
  });

  test(`${method}: a failure takes nothing away, and is in the log without secrets`, async () => {
    let isBroken = false;
    const { catalogue, log } = sample(
      () => {
        if (isBroken) throw new Error("no hunter2");
        return { [key]: [item("a")] };
      },
      { capabilities },
    );
    await list(catalogue);
    isBroken = true;
    catalogue.renew();
    await assert.rejects(list(catalogue), /no hunter2/);
    assert.deepEqual(items(catalogue), [item("a")]);
    assert.match(log.lines().at(-1)?.text ?? "", /^listing its [a-z ]+ failed: no \[redacted\]$/);
    isBroken = false;
    await list(catalogue);
  });

  test(`${method}: what is kept of it is known in the next life, as old as it is`, async () => {
    const { catalogue, known } = sample(
      (asked) => ({ [listings[asked as ListMethod]]: [item("a")] }),
      {
        capabilities,
      },
    );
    await catalogue.list();
    await list(catalogue);
    await new Promise(setImmediate);
    const next = sample(() => assert.fail("it is fresh"), { capabilities });
    next.catalogue.recall(known.at(-1) as CachedLists);
    assert.deepEqual(items(next.catalogue), [item("a")]);
    await list(next.catalogue);
    next.catalogue.forgetAll();
    assert.equal(items(next.catalogue), null);
  });
}

test("a listing that was kept without prompts and resources is one without them, and only they are asked for", async () => {
  const { catalogue, asked } = sample((method) => ({ [listings[method as ListMethod]]: [] }), {
    capabilities,
  });
  const at = new Date().toISOString();
  catalogue.recall({ era: "legacy", eraAt: at, listedAt: at, tools: [tool("old")] });
  assert.deepEqual(catalogue.offerCounts(), {
    prompts: null,
    resources: null,
    resourceTemplates: null,
  });
  catalogue.beginOffers({
    era: "legacy",
    capabilities,
    request: async (method: string) => {
      asked.push(method);
      return { [listings[method as ListMethod]]: [] };
    },
  } as unknown as Session);
  await new Promise(setImmediate);
  assert.deepEqual(asked, ["prompts/list", "resources/list", "resources/templates/list"]);
  assert.deepEqual(catalogue.offerCounts(), { prompts: 0, resources: 0, resourceTemplates: 0 });
});

test("a server that has resources and knows nothing of templates has none", async () => {
  const { catalogue, log } = sample(
    () => {
      throw new RpcError(-32601, "Method not found");
    },
    { capabilities },
  );
  await catalogue.listOffer("resources/templates/list");
  assert.deepEqual([catalogue.offered("resources/templates/list"), log.lines()], [[], []]);
  await assert.rejects(catalogue.list(), /Method not found/);
});

test("what changed beside tools is reported once it is known; what only a new process lists again is not", async () => {
  const { catalogue, news } = sample(
    (method) => ({
      [listings[method as ListMethod]]: method === "prompts/list" ? [item("a")] : [],
    }),
    { capabilities },
  );
  const listBoth = async () => {
    for (const method of ["prompts/list", "resources/list"] as const)
      await catalogue.listOffer(method);
  };
  await listBoth();
  assert.deepEqual(news, ["prompts"]);
  catalogue.renew();
  await listBoth();
  assert.deepEqual(news, ["prompts"]);
  catalogue.listChanged("resources");
  await listBoth();
  catalogue.stop();
  // The notice is about their templates, too.
  assert.deepEqual([...new Set(news)], ["prompts", "resources"]);
});
