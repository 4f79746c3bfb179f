import assert from "node:assert/strict";
import { test } from "node:test";
import { ann, ask, openApprovals } from "../../../../test/samples/approvals.ts";
import { injectedCall } from "../../../../test/samples/calls.ts";
import type { WaitingOutcome } from "../../../model/calls/call.ts";
import type { ApprovalAnswer } from "../../../model/calls/held-call.ts";
import { PlaneError, reportError } from "../../../model/errors.ts";
import { answerHere } from "./approval-prompt.ts";
import { beforeOutput } from "./output.ts";

/** A call that waits, and what comes of these answers to it, given one after the other. */
async function put(
  context: Parameters<typeof openApprovals>[0],
  ...answers: (ApprovalAnswer | null)[]
) {
  context.mock.method(process.stderr, "write", () => true);
  beforeOutput.clear();
  const { verbs, hold, ran } = await openApprovals(context);
  const id = await hold(ask, { ...injectedCall(), principal: ann });
  const error = reportError(new PlaneError("APPROVAL_REQUIRED", "it waits"));
  const waiting = {
    ok: false,
    call: { status: "waiting" },
    error,
    approval: { id },
  } as WaitingOutcome;
  const outcome = await answerHere(verbs, waiting, async () => answers.shift() ?? null);
  return { outcome, ran, left: answers.length, status: (await verbs.approvals.get(id)).status };
}

test("a yes at the terminal runs the call, and its outcome is the command's", async (context) => {
  const { outcome, ran, status } = await put(context, { decision: "approve" });
  assert.deepEqual([outcome.ok, ran.length, status], [true, 1, "done"]);
});

test("a no at the terminal is a refusal with the reason", async (context) => {
  const { outcome, ran } = await put(context, { decision: "reject", reason: "not today" });
  assert.deepEqual(
    [outcome.error?.code, outcome.approval, ran.length],
    ["APPROVAL_DENIED", undefined, 0],
  );
  assert.match(outcome.error?.message ?? "", /you rejected it: not today\./);
});

test("a person who decides later leaves it waiting", async (context) => {
  const { outcome, status } = await put(context, null);
  assert.deepEqual([outcome.error?.code, status], ["APPROVAL_REQUIRED", "pending"]);
});

test("invalid arguments are asked for again", async (context) => {
  const bad: ApprovalAnswer = { decision: "approve", arguments: { bad: true } };
  const { outcome, left } = await put(context, bad, { decision: "approve" });
  assert.deepEqual([outcome.ok, left], [true, 0]);
});
