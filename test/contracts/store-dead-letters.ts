import assert from "node:assert/strict";
import { principalOf } from "../../src/model/principal.ts";
import type { Store } from "../../src/model/store.ts";
import { sampleLetter } from "../samples/dead-letters.ts";
import { type Promises, storeFailed } from "./opened-store.ts";

const most = 100;
const at = (minute: number) => `2026-03-01T12:${String(minute).padStart(2, "0")}:00.000Z`;
const idsOf = async (store: Store, filter: Parameters<Store["deadLetters"]>[0] = {}) =>
  (await store.deadLetters(filter)).deadLetters.map(({ id }) => id).join("");

export const deadLetterPromises: Promises = {
  "gives a dead letter back as it was kept, and null for one it never saw": async ({
    store,
    reopen,
  }) => {
    const letter = sampleLetter("a", {
      arguments: { odd: "\u0000 \ud800 \u{1f680}", deep: [{ n: null }] },
    });
    await store.addDeadLetter(letter, most);
    const again = await reopen();
    assert.deepEqual(await again.deadLetter("a"), letter);
    assert.equal(await again.deadLetter("b"), null);
    await assert.rejects(again.addDeadLetter(letter, most), storeFailed);
  },

  "lets one of several change a dead letter that all of them have read": async ({ store }) => {
    await store.addDeadLetter(sampleLetter("a"), most);
    const changes = (["retrying", "resolved", "abandoned"] as const).map((status) =>
      store.replaceDeadLetter(sampleLetter("a", { status })),
    );
    const changed = await Promise.all(changes);
    assert.deepEqual(changed.toSorted(), [false, false, true]);
    const kept = await store.deadLetter("a");
    assert.deepEqual(
      [kept?.status, kept?.revision],
      [["retrying", "resolved", "abandoned"][changed.indexOf(true)], 2],
    );
    assert.equal(await store.deleteDeadLetter("a", 1), false);
    assert.equal(await store.deleteDeadLetter("a", 2), true);
    assert.equal(await store.deleteDeadLetter("a", 2), false);
    assert.equal(await store.replaceDeadLetter(sampleLetter("gone")), false);
  },

  "lists dead letters newest first, filters them, and counts what matches in every status": async ({
    store,
  }) => {
    await store.addDeadLetter(sampleLetter("a", { tool: "x" }), most);
    await store.addDeadLetter(sampleLetter("b", { server: null }), most);
    await store.addDeadLetter(sampleLetter("c", { tool: "x", status: "resolved" }), most);
    await store.addDeadLetter(sampleLetter("d", { principal: principalOf({ user: "bob" }) }), most);
    await store.addDeadLetter(sampleLetter("e", { principal: principalOf({ user: null }) }), most);
    assert.equal(await idsOf(store), "edcba");
    assert.equal(await idsOf(store, { tool: "x" }), "ca");
    assert.equal(await idsOf(store, { server: "notes", status: "pending" }), "eda");
    assert.equal(await idsOf(store, { owner: "bob" }), "d");
    assert.equal(await idsOf(store, { owner: null }), "");
    assert.equal(await idsOf(store, { id: "b" }), "b");
    const { total, byStatus } = await store.deadLetters({ tool: "x", status: "resolved" });
    assert.deepEqual(
      [total, byStatus],
      [1, { pending: 1, retrying: 0, resolved: 1, abandoned: 0 }],
    );
  },

  "pages through dead letters while others come and go": async ({ store }) => {
    for (const id of ["a", "b", "c", "d", "e"]) await store.addDeadLetter(sampleLetter(id), most);
    const first = await store.deadLetters({ limit: 2 });
    assert.deepEqual([first.deadLetters.map(({ id }) => id).join(""), first.total], ["ed", 5]);
    await store.deleteDeadLetter("d", 1);
    await store.addDeadLetter(sampleLetter("f"), most);
    const second = await store.deadLetters({ limit: 2, cursor: first.nextCursor ?? "" });
    assert.equal(second.deadLetters.map(({ id }) => id).join(""), "cb");
    const third = await store.deadLetters({ limit: 2, cursor: second.nextCursor ?? "" });
    assert.deepEqual(
      [third.deadLetters.map(({ id }) => id).join(""), third.nextCursor],
      ["a", null],
    );
  },

  "tells which dead letters are due, longest first": async ({ store }) => {
    const was = { status: "pending", nextRetryAt: null } as const;
    await store.addDeadLetter(sampleLetter("late", { nextRetryAt: at(30) }), most);
    await store.addDeadLetter(sampleLetter("soon", { nextRetryAt: at(5) }), most);
    const lease = { until: at(2), was };
    await store.addDeadLetter(
      sampleLetter("lost", { status: "retrying", nextRetryAt: null, lease }),
      most,
    );
    await store.addDeadLetter(sampleLetter("held", { nextRetryAt: null, hold: "permanent" }), most);
    await store.addDeadLetter(
      sampleLetter("over", { status: "abandoned", nextRetryAt: null }),
      most,
    );
    const due = async (minute: number) =>
      (await store.dueDeadLetters(at(minute))).map(({ id }) => id);
    assert.deepEqual([await due(1), await due(5)], [[], ["lost", "soon"]]);
    assert.deepEqual((await store.dueDeadLetters(at(2)))[0], {
      id: "lost",
      status: "retrying",
      tool: "notes.write",
      server: "notes",
    });
  },

  "forgets dead letters that were over before, and no others": async ({ store }) => {
    await store.addDeadLetter(sampleLetter("a", { status: "resolved", updatedAt: at(1) }), most);
    await store.addDeadLetter(sampleLetter("b", { status: "abandoned", updatedAt: at(2) }), most);
    await store.addDeadLetter(sampleLetter("c", { status: "resolved", updatedAt: at(3) }), most);
    await store.addDeadLetter(sampleLetter("d", { updatedAt: at(1) }), most);
    assert.equal(await store.forgetEndedDeadLetters(at(3)), 2);
    assert.equal(await idsOf(store), "dc");
  },

  "keeps so many dead letters and lets the oldest go, those that are over first": async ({
    store,
  }) => {
    const lease = { until: at(9), was: { status: "pending", nextRetryAt: null } } as const;
    await store.addDeadLetter(sampleLetter("a", { status: "retrying", lease }), 3);
    await store.addDeadLetter(sampleLetter("b"), 3);
    await store.addDeadLetter(sampleLetter("c", { status: "abandoned" }), 3);
    await store.addDeadLetter(sampleLetter("d"), 3);
    assert.equal(await idsOf(store), "dba");
    await store.addDeadLetter(sampleLetter("e"), 3);
    assert.equal(await idsOf(store), "eda");
  },
};
