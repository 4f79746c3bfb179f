import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApprovalAnswer } from "../../src/model/calls/held-call.ts";
import { assertFailed, fixture, planeOf, textsOf } from "./support.ts";

const policy = { rules: [{ tool: "echo.put_*", verdict: "ask" }] };
const note = { key: "k", text: "t" };

test("a person who answers the moment they hear of a question finds it", async () => {
  await using plane = await planeOf({ echo: fixture("echo") }, { policy });
  const answers: Promise<unknown>[] = [];
  plane.on("approval.requested", ({ approvalId }) => {
    answers.push(plane.approvals.answer(approvalId, { decision: "approve" }));
  });
  const outcome = await plane.call("echo.put_note", note, { approvalWaitMs: 60_000 });
  assert.deepEqual(textsOf(outcome), ["stored k"]);
  await Promise.all(answers);
});

test("a program asks its own person, as often as the answer makes no sense", async () => {
  await using plane = await planeOf({ echo: fixture("echo") }, { policy });
  const answers: ApprovalAnswer[] = [
    { decision: "approve", arguments: { key: 7 } },
    { decision: "approve", arguments: { key: "edited", text: "t" } },
  ];
  const problems: (string | null)[] = [];
  const outcome = await plane.call("echo.put_note", note, {
    async askHere(_, __, problem) {
      problems.push(problem);
      return answers.shift() ?? null;
    },
  });
  assert.equal(textsOf(outcome).at(-1), "stored edited");
  assert.equal(problems[0], null);
  assert.match(String(problems[1]), /must be string/);
  const turned = await plane.call("echo.put_note", note, { askHere: async () => null });
  assertFailed(turned, "APPROVAL_REQUIRED", "waiting");
});

test("a plane that stops leaves what waits waiting", async () => {
  const plane = await planeOf({ echo: fixture("echo") }, { policy });
  const asked = new Promise<void>((resolve) => plane.on("approval.requested", () => resolve()));
  const call = plane.call("echo.put_note", note, { approvalWaitMs: 60_000 });
  await asked;
  await plane.stop();
  assertFailed(await call, "APPROVAL_REQUIRED", "waiting");
});
