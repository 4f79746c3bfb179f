import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { heldCall } from "../../../test/contracts/records.ts";
import { heldStatuses, type KeptHeldCall } from "../../model/calls/held-call.ts";
import type { GivenAnswer } from "../../model/calls/held-schema.ts";
import { PlaneError } from "../../model/errors.ts";
import {
  answered,
  approvalLeaseMs,
  isClaimed,
  lease,
  settle,
  statusTexts,
  withBegin,
  withEnd,
} from "./held-call.ts";

const now = Date.parse("2026-03-01T12:00:00.000Z");

function saying(decision: GivenAnswer["decision"]): GivenAnswer {
  return { decision, by: "ada", at: new Date(now).toISOString(), reason: null, arguments: null };
}

test("an approval without an answer expires, and a change of a plan does not", () => {
  const expiresAt = new Date(now).toISOString();
  assert.equal(settle(heldCall("a", { expiresAt }), now - 1).status, "pending");
  assert.equal(settle(heldCall("a", { expiresAt }), now).status, "expired");
  assert.equal(settle(heldCall("a", { plan: "p" }), now + 10 ** 12).status, "pending");
});

test("a call that a lost process began is interrupted and never begun again", () => {
  const running = withBegin(answered(heldCall("a"), saying("approve")), "me", now);
  assert.equal(settle(running, now + approvalLeaseMs - 1).status, "running");
  const lost = settle(running, now + approvalLeaseMs);
  assert.deepEqual([lost.status, lost.claim], ["interrupted", null]);
  assert.throws(() => withBegin(lost, "you", now), { code: "CONFLICT" });
});

test("a claim is believed as long as it says", () => {
  const held = heldCall("a", { claim: lease("me", now) });
  assert.deepEqual(
    [isClaimed(held, now), isClaimed(held, now + approvalLeaseMs), isClaimed(heldCall("b"), now)],
    [true, false, false],
  );
});

test("every status has a sentence", () => {
  for (const status of heldStatuses) assert.match(statusTexts[status], /^[a-z].*[a-z]$/);
});

type Step = { name: string; do(held: KeptHeldCall, at: number): KeptHeldCall };
const steps: Step[] = [
  { name: "approve", do: (held) => answered(held, saying("approve")) },
  { name: "reject", do: (held) => answered(held, saying("reject")) },
  { name: "begin", do: (held, at) => withBegin(held, "me", at) },
  {
    name: "finish",
    do: (held) => (held.status === "running" ? withEnd(held, "done", null, null) : held),
  },
  { name: "look", do: settle },
];

test("whatever happens in whatever order: nothing begins without a yes, and nothing begins twice", () => {
  const moves = fc.array(
    fc.record({ step: fc.constantFrom(...steps), later: fc.integer({ min: 0, max: 20_000 }) }),
  );
  fc.assert(
    fc.property(moves, (made) => {
      let held = heldCall("a", { expiresAt: new Date(now + 60_000).toISOString() });
      let at = now;
      let approvals = 0;
      let beginnings = 0;
      for (const { step, later } of made) {
        at += later;
        const before = held.status;
        try {
          held = step.do(held, at);
        } catch (thrown) {
          assert.ok(thrown instanceof PlaneError && thrown.code === "CONFLICT", String(thrown));
        }
        if (before === "pending" && held.status === "approved") approvals += 1;
        if (before !== "running" && held.status === "running") beginnings += 1;
      }
      assert.ok(approvals <= 1 && beginnings <= approvals);
    }),
  );
});
