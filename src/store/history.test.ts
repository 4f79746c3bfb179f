import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { callEntry } from "../../test/contracts/records.ts";
import type { PlaneEvent } from "../model/events.ts";
import { ownerOf, type Principal, principalOf, trusted } from "../model/principal.ts";
import type { Store } from "../model/store.ts";
import { createHistory } from "./history.ts";
import { createRecorder } from "./store.ts";

const ann = { principal: principalOf({ user: "ann" }) };

/** A history in a store of its own, with these events in it, and calls of ann's and bob's. */
async function historyOf(events: readonly PlaneEvent[]) {
  const recorder = createRecorder(undefined);
  const asked: string[] = [];
  const counted = async (): Promise<Store> => {
    const store = await recorder.store();
    const counting =
      <Given extends unknown[], Found>(name: string, read: (...given: Given) => Found) =>
      (...given: Given): Found => {
        asked.push(name);
        return read(...given);
      };
    return {
      ...store,
      events: counting("events", store.events),
      callOwners: counting("callOwners", store.callOwners),
      call: counting("call", store.call),
    };
  };
  const history = createHistory({
    recorder: { ...recorder, storeOf: counted },
    catalogue: { visibleTo: () => ["one"] },
    access: { grants: { maySeeServer: (_, server) => server === "open" } },
    answers: { questions: { noteListener: () => undefined } },
  });
  const store = await recorder.store();
  const at = "2026-01-01T00:00:00.000Z";
  await store.append([
    callEntry("of-ann", { principal: principalOf({ user: "ann" }) }),
    callEntry("of-bob", { principal: principalOf({ user: "bob" }) }),
    ...events.map((event) => ({ kind: "event", at, event }) as const),
  ]);
  return { ...history, asked, [Symbol.asyncDispose]: () => recorder.close() };
}

const answered = (callId: string): PlaneEvent => ({
  type: "question.answered",
  questionId: "q",
  callId,
  action: "accept",
});

suite("which calls and events a caller may see", () => {
  test("is what they did with the same rights: a weaker token of the user is another", async () => {
    const strong = principalOf({ user: "ann", groups: ["hr"] });
    const run = { type: "skill.started", user: "ann", skill: "pay" } as const;
    await using history = await historyOf([
      { ...run, runId: "strong", owner: ownerOf(strong) },
      { ...run, runId: "weak", owner: ownerOf(ann.principal) },
      { ...run, runId: "earlier" },
    ]);
    const runsOf = async (principal: Principal) =>
      (await history.events.list(0, 10, { principal })).flatMap(({ event }) =>
        "runId" in event ? event.runId : [],
      );
    assert.deepEqual(await runsOf(ann.principal), ["weak", "earlier"]);
    assert.deepEqual(await runsOf(strong), ["strong", "earlier"]);
  });

  test("is what belongs to their own calls and to servers they may use", async () => {
    await using history = await historyOf([
      answered("of-ann"),
      answered("of-bob"),
      answered("of-an-unknown-user"),
      { type: "server.connecting", server: "open" },
      { type: "server.connecting", server: "hidden" },
      { type: "registry.changed", revision: 1, tools: 1 },
      { type: "config.rejected", reason: "/home/root/secret.json" },
      { type: "key.created", keyId: "k", name: "ci" },
    ]);
    const seen = (await history.events.list(0, undefined, ann)).map(({ event }) => event);
    assert.deepEqual(seen, [
      answered("of-ann"),
      { type: "server.connecting", server: "open" },
      { type: "registry.changed", revision: 1, tools: 1 },
    ]);
    assert.equal(
      (await history.events.list(0, undefined, { principal: trusted() })).length,
      8,
      "an admin sees everything",
    );
  });

  test("is found behind any number of things that others did, as many as are asked for", async () => {
    const others = Array.from({ length: 1_200 }, () => answered("of-bob"));
    const own = Array.from({ length: 3 }, () => answered("of-ann"));
    await using history = await historyOf([...others, ...own]);
    const ids = async (after: number, limit?: number) =>
      (await history.events.list(after, limit, ann)).map(({ id }) => id);
    assert.deepEqual(await ids(0, 2), [1_203, 1_204]);
    assert.deepEqual(await ids(1_204, 2), [1_205]);
    assert.deepEqual(await ids(0), [1_203, 1_204, 1_205]);
    assert.deepEqual(await ids(1_205), []);
  });

  test("is read in pages that cost the store a bounded number of questions, however much others did", async () => {
    const others = Array.from({ length: 6_000 }, () => answered("of-bob"));
    await using history = await historyOf([...others, answered("of-ann")]);
    const first = await history.events.page(0, 500, ann);
    assert.deepEqual([first.events, first.upTo], [[], 5_002]);
    assert.equal(
      history.asked.filter((one) => one === "call").length,
      0,
      "owners are asked for by the page",
    );
    assert.equal(history.asked.length, 20);
    const second = await history.events.page(first.upTo, 500, ann);
    assert.deepEqual([second.events.map(({ id }) => id), second.upTo], [[6_003], 6_003]);
    assert.deepEqual(await history.events.page(second.upTo, 500, ann), { events: [], upTo: 6_003 });
  });

  test("is a call of theirs, and one of another's is as if it were not there", async () => {
    await using history = await historyOf([]);
    assert.equal((await history.calls.get("of-ann", ann)).id, "of-ann");
    for (const id of ["of-bob", "none"])
      await assert.rejects(history.calls.get(id, ann), { code: "NOT_FOUND" });
    assert.equal((await history.calls.get("of-bob", { principal: trusted() })).id, "of-bob");
    assert.deepEqual(
      (await history.calls.list({}, ann)).map(({ id }) => id),
      ["of-ann"],
    );
  });
});
