import type { HeldStatus, KeptHeldCall } from "../../model/calls/held-call.ts";
import type { GivenAnswer, HeldView } from "../../model/calls/held-schema.ts";
import { PlaneError } from "../../model/errors.ts";
import { actsFor } from "../../model/principal.ts";

/** A process that waits for a call or runs it renews its lease within this time, or counts as gone. */
export const approvalLeaseMs = 15_000;
/** An approved call that has not begun after this time was abandoned by the process that approved it. */
export const graceMs = 2_000;

export function lease(by: string, now: number): NonNullable<KeptHeldCall["claim"]> {
  return { by, until: new Date(now + approvalLeaseMs).toISOString() };
}

export function isClaimed({ claim }: KeptHeldCall, now: number): boolean {
  return claim !== null && Date.parse(claim.until) > now;
}

export function isAbandoned(held: KeptHeldCall, now: number): boolean {
  const { status, answer } = held;
  if (status !== "approved" || isClaimed(held, now)) return false;
  return answer === null || Date.parse(answer.at) + graceMs <= now;
}

export function settle(held: KeptHeldCall, now: number): KeptHeldCall {
  const { status, expiresAt } = held;
  if (status === "pending" && expiresAt !== null && Date.parse(expiresAt) <= now)
    return { ...held, status: "expired", claim: null };
  if (status === "running" && !isClaimed(held, now))
    return { ...held, status: "interrupted", claim: null };
  return held;
}

export function answered(held: KeptHeldCall, answer: GivenAnswer): KeptHeldCall {
  if (held.status !== "pending") throw notPending(held);
  if (answer.decision === "reject") return { ...held, status: "rejected", answer, claim: null };
  const { threshold = 1, yeses = [] } = held;
  if (threshold === 1) return { ...held, status: "approved", answer };
  if (yeses.some((yes) => isSamePerson(yes, answer)))
    throw new PlaneError(
      "CONFLICT",
      `You have already approved '${held.id}'; it needs ${threshold} approvers.`,
    );
  const now = [...yeses, answer];
  return now.length < threshold
    ? { ...held, yeses: now }
    : { ...held, status: "approved", yeses: now, answer };
}

/** A key adds no person to the one who created it. */
function isSamePerson(one: GivenAnswer, other: GivenAnswer): boolean {
  const person = ({ by: user, keyCreators = [] }: GivenAnswer) => ({ user, keyCreators });
  return actsFor(person(one), other.by) || actsFor(person(other), one.by);
}

/** A call begins once: only an approved one can. */
export function begun(held: KeptHeldCall, by: string, now: number): KeptHeldCall {
  if (held.status !== "approved") throw notPending(held);
  return { ...held, status: "running", claim: lease(by, now) };
}

export type EndStatus = Extract<HeldStatus, "done" | "failed" | "void" | "cancelled">;

export function withEnd(
  held: KeptHeldCall,
  status: EndStatus,
  outcome: KeptHeldCall["outcome"],
): KeptHeldCall {
  return { ...held, status, outcome, claim: null };
}

/** Each as the rest of a sentence. */
export const statusTexts: Record<HeldStatus, string> = {
  pending: "it still waits for an answer",
  approved: "it was approved and is about to run",
  running: "it was approved and runs",
  done: "it was approved and has run",
  failed: "it was approved and has run, and failed",
  rejected: "it was rejected",
  expired: "no answer came in time",
  void: "its tool has changed since it was asked; the call has to be made again",
  cancelled: "the caller gave up",
  interrupted: "it began and its end is not known, so it is not run again",
};

export function notPending({ id, tool, status }: KeptHeldCall): PlaneError {
  const text = `'${id}' (${tool}) cannot be answered: ${statusTexts[status]}.`;
  return new PlaneError("CONFLICT", text, { data: { tool, id, status } });
}

const placeholder = "«set by the system»";

/** A held call as people see it. Injected arguments are placeholders, unless the caller named them too. */
export function viewOf({ revision: _, ...held }: KeptHeldCall): HeldView {
  const { arguments: args, answer, injected, verdict } = held;
  const hidden = injected
    .filter((name) => !Object.hasOwn(args, name))
    .map((name) => [name, placeholder]);
  const shown = { ...(answer?.arguments ?? args), ...Object.fromEntries(hidden) };
  return { ...held, shown, adminRequired: verdict.origin === "rule" };
}
