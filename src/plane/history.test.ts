import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { callEntry } from "../../test/contracts/records.ts";
import type { PlaneEvent } from "../model/events.ts";
import { principalOf, trusted } from "../model/principal.ts";
import { createHistory } from "./history.ts";
import { createMemory } from "./memory.ts";

const ann = { principal: principalOf({ user: "ann" }) };

/** A history in a store of its own, with these events in it, and calls of ann's and bob's. */
async function historyOf(events: readonly PlaneEvent[]) {
  const memory = createMemory(undefined);
  const history = createHistory({
    memory,
    everybody: trusted(),
    countTools: () => 1,
    maySeeServer: (_, server) => server === "open",
  });
  const store = await memory.store();
  const at = "2026-01-01T00:00:00.000Z";
  await store.append([
    callEntry("of-ann", { principal: principalOf({ user: "ann" }) }),
    callEntry("of-bob", { principal: principalOf({ user: "bob" }) }),
    ...events.map((event) => ({ kind: "event", at, event }) as const),
  ]);
  return { ...history, [Symbol.asyncDispose]: () => memory.close() };
}

const answered = (callId: string): PlaneEvent => ({
  type: "question.answered",
  questionId: "q",
  callId,
  action: "accept",
});

suite("what somebody may see of what happened", () => {
  test("is what belongs to their own calls and to servers they may use", async () => {
    await using history = await historyOf([
      answered("of-ann"),
      answered("of-bob"),
      answered("of-nobody-knows-whom"),
      { type: "server.connecting", server: "open" },
      { type: "server.connecting", server: "hidden" },
      { type: "registry.changed", revision: 1, tools: 1 },
      { type: "config.rejected", reason: "/home/root/secret.json" },
      { type: "key.created", keyId: "k", name: "ci" },
    ]);
    const seen = (await history.events(0, undefined, ann)).map(({ event }) => event);
    assert.deepEqual(seen, [
      answered("of-ann"),
      { type: "server.connecting", server: "open" },
      { type: "registry.changed", revision: 1, tools: 1 },
    ]);
    assert.equal((await history.events()).length, 8, "whoever manages the plane sees everything");
  });

  test("is found behind any number of things that others did, as many as are asked for", async () => {
    const others = Array.from({ length: 1_200 }, () => answered("of-bob"));
    const own = Array.from({ length: 3 }, () => answered("of-ann"));
    await using history = await historyOf([...others, ...own]);
    const ids = async (after: number, limit?: number) =>
      (await history.events(after, limit, ann)).map(({ id }) => id);
    assert.deepEqual(await ids(0, 2), [1_201, 1_202]);
    assert.deepEqual(await ids(1_202, 2), [1_203]);
    assert.deepEqual(await ids(0), [1_201, 1_202, 1_203]);
    assert.deepEqual(await ids(1_203), []);
  });

  test("is a call of theirs, and one of another's is as if it were not there", async () => {
    await using history = await historyOf([]);
    assert.equal((await history.callRecord("of-ann", ann)).id, "of-ann");
    for (const id of ["of-bob", "none"])
      await assert.rejects(history.callRecord(id, ann), { code: "NOT_FOUND" });
    assert.equal((await history.callRecord("of-bob")).id, "of-bob");
    assert.deepEqual(
      (await history.calls({}, ann)).map(({ id }) => id),
      ["of-ann"],
    );
  });
});
