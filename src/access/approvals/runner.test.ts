import assert from "node:assert/strict";
import { test } from "node:test";
import { ann, ask, bob, openApprovals } from "../../../test/samples/approvals.ts";
import { injectedCall } from "../../../test/samples/calls.ts";
import type { ApprovalAnswer } from "../../model/calls/held-call.ts";
import { graceMs } from "./held-call.ts";

test("what is asked here and remembered is remembered like any other yes", async (context) => {
  const { approvals, verbs } = await openApprovals(context);
  const call = { ...injectedCall(), principal: ann };
  const askHere = async (): Promise<ApprovalAnswer> => ({
    decision: "approve",
    remember: { for: "tool" },
  });
  await approvals.hold(call, ask, { askHere });
  assert.equal((await verbs.approvals.remembered()).length, 1);
});

test("a yes at the last moment lets the call go on instead of refusing it", async (context) => {
  const { approvals, store, ran } = await openApprovals(context);
  const call = { ...injectedCall(), principal: ann, options: { approvalWaitMs: 1 } };
  const { replaceHeldCall } = store;
  // Answered by another process between the last look and the leaving.
  store.replaceHeldCall = async (next) => {
    store.replaceHeldCall = replaceHeldCall;
    const answer = {
      decision: "approve",
      by: "ann",
      at: next.at,
      reason: null,
      arguments: null,
    } as const;
    const { claim = null, caller } = (await store.heldCall(next.id)) ?? {};
    await replaceHeldCall({
      ...next,
      status: "approved",
      answer,
      claim,
      ...(caller && { caller }),
    });
    return replaceHeldCall(next);
  };
  const goesOn = await approvals.hold(call, ask, {});
  assert.deepEqual([goesOn.approved?.by, ran.length], ["ann", 0]);
});

test("a yes for one conversation is refused where there is none, instead of being good for all", async (context) => {
  const { verbs, hold } = await openApprovals(context);
  const remember = { for: "tool", conversation: true } as const;
  await assert.rejects(verbs.approvals.answer(await hold(), { decision: "approve", remember }), {
    code: "USAGE",
    message: /belongs to no conversation/,
  });
  assert.deepEqual(await verbs.approvals.remembered(), []);
});

test("a call that another process left approved is run by its answerers alone", async (context) => {
  const { store, verbs, hold, ran } = await openApprovals(context);
  const id = await hold();
  const held = await store.heldCall(id);
  assert.ok(held);
  const at = new Date(Date.now() - graceMs).toISOString();
  const answer = { decision: "approve", by: "ann", at, reason: null, arguments: null } as const;
  await store.replaceHeldCall({ ...held, status: "approved", answer });
  const again = { decision: "approve" } as const;
  await assert.rejects(verbs.approvals.answer(id, again, { principal: bob }), {
    code: "FORBIDDEN",
  });
  await assert.rejects(verbs.approvals.answer(id, { ...again, arguments: { text: "x" } }), {
    code: "CONFLICT",
  });
  assert.deepEqual(ran, []);
  assert.equal((await verbs.approvals.answer(id, again)).outcome?.ok, true);
});
