import assert from "node:assert/strict";
import type { HeldFilter, HeldOrder } from "../../src/model/calls/held-call.ts";
import type { PlanRecord, RememberedApproval } from "../../src/model/calls/held-schema.ts";
import { principalOf } from "../../src/model/principal.ts";
import { type Promises, storeFailed } from "./opened-store.ts";
import { answeredCall, heldCall, moment } from "./records.ts";

const plan = (id: string, changes: Partial<PlanRecord> = {}): PlanRecord => ({
  id,
  user: "ada",
  conversation: null,
  createdAt: moment,
  ...changes,
});

const remembered = (id: string, user: string | null): RememberedApproval => ({
  id,
  user,
  tool: "github_delete_branch",
  server: null,
  fingerprint: "f",
  arguments: { branch: "feature/*" },
  argumentsHash: null,
  conversation: null,
  createdAt: moment,
  expiresAt: null,
});

export const heldCallPromises: Promises = {
  "gives a held call back as it was asked, and null for one it never saw": async ({ store }) => {
    await store.addHeldCall(heldCall("one"));
    assert.deepEqual(await store.heldCall("one"), heldCall("one"));
    assert.equal(await store.heldCall("two"), null);
  },

  "lists held calls in the order they were asked, by status, plan and user when wanted": async ({
    store,
  }) => {
    for (const id of ["c", "b", "a"]) await store.addHeldCall(heldCall(id));
    await store.replaceHeldCall(answeredCall(heldCall("b"), "approve"));
    await store.addChange(heldCall("d"), plan("p"));
    const idsOf = async (...filter: Parameters<typeof store.heldCalls>) =>
      (await store.heldCalls(...filter)).map(({ id }) => id).join("");
    assert.equal(await idsOf(), "cbad");
    assert.equal(await idsOf({ status: "pending" }), "cad");
    assert.equal(await idsOf({ status: "approved" }), "b");
    assert.equal(await idsOf({ plan: null }), "cba");
    assert.equal(await idsOf({ plan: "p" }), "d");
    assert.equal(await idsOf({ user: "ada" }), "cbad");
    assert.equal(await idsOf({ user: null }), "");
  },

  "lists a part of them in any order, and counts them all": async ({ store }) => {
    for (const id of ["a", "b", "c", "d"]) await store.addHeldCall(heldCall(id));
    await store.replaceHeldCall(answeredCall(heldCall("c"), "approve"));
    await store.addHeldCall(heldCall("n", { principal: principalOf({ user: null }) }));
    const partOf = async (order: HeldOrder, limit: number, last?: string, waits = false) => {
      const after = last === undefined ? null : { id: last, waits };
      return (await store.heldCalls({}, { order, limit, after })).map(({ id }) => id).join("");
    };
    assert.deepEqual([await partOf("oldest", 3), await partOf("oldest", 3, "c")], ["abc", "dn"]);
    assert.deepEqual([await partOf("newest", 2), await partOf("newest", 9, "d")], ["nd", "cba"]);
    assert.deepEqual(
      [await partOf("pending", 3), await partOf("pending", 3, "b", true)],
      ["ndb", "ac"],
    );
    assert.equal(await partOf("pending", 3, "c"), "");
    assert.equal(await partOf("oldest", 3, "unknown"), "");
    const count = (filter: HeldFilter) => store.countHeldCalls(filter);
    assert.deepEqual([await count({}), await count({ status: "pending" })], [5, 4]);
    assert.deepEqual([await count({ shownTo: "bob" }), await count({ shownTo: "ada" })], [1, 5]);
    assert.equal(await count({ shownTo: null }), 1);
  },

  "lets one of several who change a held call do so": async ({ store }) => {
    await store.addHeldCall(heldCall("one"));
    const answers = [
      answeredCall(heldCall("one"), "reject"),
      answeredCall(heldCall("one"), "approve"),
    ];
    const taken = await Promise.all(answers.map((answer) => store.replaceHeldCall(answer)));
    assert.deepEqual(taken.toSorted(), [false, true]);
    const winner = answers[taken.indexOf(true)];
    assert.deepEqual(await store.heldCall("one"), { ...winner, revision: 1 });
    assert.equal(await store.replaceHeldCall(heldCall("unknown")), false);
  },

  "never holds two calls under one id": async ({ store }) => {
    await store.addHeldCall(heldCall("one"));
    await assert.rejects(store.addHeldCall(heldCall("one", { tool: "other" })), storeFailed);
    assert.deepEqual(await store.heldCalls(), [heldCall("one")]);
  },

  "queues what one owner asks for in one plan until that is closed": async ({ store }) => {
    assert.equal(await store.addChange(heldCall("1"), plan("first")), "first");
    assert.equal(await store.addChange(heldCall("2"), plan("second")), "first");
    assert.equal(await store.addChange(heldCall("3"), plan("other", { user: "bob" })), "other");
    assert.equal(await store.addChange(heldCall("4"), plan("talk", { conversation: "c" })), "talk");
    await store.closePlan("first");
    assert.equal(await store.addChange(heldCall("5"), plan("third")), "third");
    assert.deepEqual(
      (await store.heldCalls({ plan: "first" })).map(({ id, plan }) => [id, plan]),
      [
        ["1", "first"],
        ["2", "first"],
      ],
    );
    assert.deepEqual(
      (await store.plans()).map(({ id }) => id),
      ["third", "talk", "other", "first"],
    );
  },

  "remembers answers by user and forgets them for their owner only": async ({ store }) => {
    await store.addRemembered(remembered("a", "ada"));
    await store.addRemembered(remembered("n", null));
    assert.deepEqual(await store.remembered("ada"), [remembered("a", "ada")]);
    assert.deepEqual(await store.remembered(null), [remembered("n", null)]);
    assert.equal(await store.forgetRemembered("a", "bob"), false);
    assert.equal(await store.forgetRemembered("a", "ada"), true);
    assert.deepEqual(await store.remembered("ada"), []);
  },
};
