import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Store } from "../../src/model/store.ts";
import type { OpenedStore, Promises } from "./opened-store.ts";
import { storeFailed } from "./opened-store.ts";
import { approvalAnswer, callEntry, eventEntry, pendingApproval, sampleEntry } from "./records.ts";
import { callPromises, eventPromises, samplePromises } from "./store-entries.ts";
import { secretPromises } from "./store-secrets.ts";

const approvalPromises: Promises = {
  "gives an approval back as it was asked, and null for one it never saw": async ({ store }) => {
    await store.addApproval(pendingApproval("one"));
    assert.deepEqual(await store.approval("one"), pendingApproval("one"));
    assert.equal(await store.approval("two"), null);
  },

  "lists approvals in the order they were asked, by status when wanted": async ({ store }) => {
    for (const id of ["c", "b", "a"]) await store.addApproval(pendingApproval(id));
    await store.answerApproval("b", approvalAnswer("approved"));
    const idsOf = async (status?: "pending" | "approved" | "rejected") =>
      (await store.approvals(status)).map((approval) => approval.id).join("");
    assert.deepEqual(
      [await idsOf(), await idsOf("pending"), await idsOf("approved"), await idsOf("rejected")],
      ["cba", "ca", "b", ""],
    );
  },

  "takes the first answer to an approval and no other": async ({ store }) => {
    await store.addApproval(pendingApproval("one"));
    const answers = [approvalAnswer("rejected", "not on a Friday"), approvalAnswer("approved")];
    const taken = await Promise.all(answers.map((answer) => store.answerApproval("one", answer)));
    assert.deepEqual(taken.toSorted(), [false, true]);
    const answer = answers[taken.indexOf(true)] ?? null;
    const status = answer?.decision ?? "pending";
    assert.deepEqual(await store.approval("one"), pendingApproval("one", { status, answer }));
    assert.equal(await store.answerApproval("unknown", approvalAnswer("approved")), false);
  },

  "never asks twice under one id": async ({ store }) => {
    await store.addApproval(pendingApproval("one"));
    await assert.rejects(store.addApproval(pendingApproval("one", { tool: "other" })), storeFailed);
    assert.deepEqual(await store.approvals(), [pendingApproval("one")]);
  },
};

const lifePromises: Promises = {
  "has everything after it was closed and opened again": async ({ store, reopen }) => {
    await store.append([callEntry("one"), eventEntry("one"), sampleEntry("tool:echo", 4)]);
    await store.addApproval(pendingApproval("asked"));
    await store.addApproval(pendingApproval("answered"));
    await store.answerApproval("answered", approvalAnswer("approved"));
    const contentOf = async (one: Store) =>
      Promise.all([one.calls(), one.events(), one.samples(), one.approvals()]);
    const before = await contentOf(store);
    assert.deepEqual(await contentOf(await reopen()), before);
  },

  "refuses to work once closed, and may be closed twice": async ({ store }) => {
    await store.close();
    await store.close();
    await assert.rejects(store.append([callEntry("late")]), storeFailed);
    await assert.rejects(store.calls(), storeFailed);
    await assert.rejects(store.approvals(), storeFailed);
  },
};

/** Proves that a store keeps what every store promises, whatever it stands on. */
export function storeContract(name: string, open: () => Promise<OpenedStore>): void {
  const promises = [
    callPromises,
    eventPromises,
    samplePromises,
    approvalPromises,
    secretPromises,
    lifePromises,
  ];
  describe(name, () => {
    for (const [sentence, prove] of promises.flatMap((group) => Object.entries(group))) {
      test(sentence, async (context) => {
        const opened = await open();
        context.after(() => opened.dispose());
        await prove(opened);
      });
    }
  });
}
