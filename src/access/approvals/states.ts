import type { GivenAnswer, HeldStatus, KeptHeldCall } from "../../model/calls/held-call.ts";
import { PlaneError } from "../../model/errors.ts";

/** Whoever waits or runs says so again within this time, or is taken for gone. */
export const leaseMs = 15_000;

export function lease(by: string, now: number): NonNullable<KeptHeldCall["claim"]> {
  return { by, until: new Date(now + leaseMs).toISOString() };
}

export function isClaimed({ claim }: KeptHeldCall, now: number): boolean {
  return claim !== null && Date.parse(claim.until) > now;
}

/** Whoever approves a call begins it at once; what is not begun after this time was left behind. */
export const graceMs = 2_000;

/** Approved, and nobody is there any more to begin it. */
export function isLeftBehind(held: KeptHeldCall, now: number): boolean {
  const { status, answer } = held;
  if (status !== "approved" || isClaimed(held, now)) return false;
  return answer === null || Date.parse(answer.at) + graceMs <= now;
}

/** As it is at this moment: time may have passed over what is stored. */
export function settle(held: KeptHeldCall, now: number): KeptHeldCall {
  const { status, expiresAt } = held;
  if (status === "pending" && expiresAt !== null && Date.parse(expiresAt) <= now)
    return { ...held, status: "expired", claim: null };
  // Whoever began it is gone without a word, so nobody knows how far it came.
  if (status === "running" && !isClaimed(held, now)) return { ...held, status: "interrupted", claim: null };
  return held;
}

/** The first answer counts. */
export function answered(held: KeptHeldCall, answer: GivenAnswer): KeptHeldCall {
  if (held.status !== "pending") throw notPending(held);
  if (answer.decision === "reject") return { ...held, status: "rejected", answer, claim: null };
  return { ...held, status: "approved", answer };
}

/** From here on it is never begun again. */
export function begun(held: KeptHeldCall, by: string, now: number): KeptHeldCall {
  if (held.status !== "approved") throw notPending(held);
  return { ...held, status: "running", claim: lease(by, now) };
}

export function ended(
  held: KeptHeldCall,
  status: Extract<HeldStatus, "done" | "failed" | "void" | "cancelled">,
  outcome: KeptHeldCall["outcome"],
): KeptHeldCall {
  return { ...held, status, outcome, claim: null };
}

const whys: Record<HeldStatus, string> = {
  pending: "it still waits for an answer",
  approved: "it was approved and is about to run",
  running: "it was approved and runs",
  done: "it was approved and has run",
  failed: "it was approved and has run, and failed",
  rejected: "it was rejected",
  expired: "nobody answered in time",
  void: "its tool has changed since it was asked; the call has to be made again",
  cancelled: "the caller gave up",
  interrupted: "it was begun and nobody knows how it ended, so it is not run again",
};

/** What became of it, as the rest of a sentence. */
export function describeStatus(status: HeldStatus): string {
  return whys[status];
}

export function notPending({ id, tool, status }: KeptHeldCall): PlaneError {
  return new PlaneError("CONFLICT", `'${id}' (${tool}) cannot be answered: ${whys[status]}.`, {
    data: { tool, id, status },
  });
}
