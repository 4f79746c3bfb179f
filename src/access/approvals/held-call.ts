import { parseExactly } from "../../lib/json/exact-numbers.ts";
import { bytesOf, sourceTextOf } from "../../lib/json/json-text.ts";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import type { Outcome } from "../../model/calls/call.ts";
import type {
  Delivery,
  HeldStatus,
  KeptHeldCall,
  KeptOutcome,
} from "../../model/calls/held-call.ts";
import type { GivenAnswer, HeldView } from "../../model/calls/held-schema.ts";
import type { ToolResult } from "../../model/calls/result.ts";
import { PlaneError } from "../../model/errors.ts";
import { actsFor } from "../../model/principal.ts";

/** A process that waits for a call or runs it renews its lease within this time, or counts as gone. */
export const approvalLeaseMs = 15_000;
/** An approved call that has not begun after this time was abandoned by the process that approved it. */
export const graceMs = 2_000;
/** How long after its end an outcome can be collected. */
export const collectMs = 3_600_000;

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

/** Its request is open, and the process that answers it lives. */
export function callerWaits(held: KeptHeldCall, now: number): boolean {
  return held.caller?.state === "waits" && isClaimed(held, now);
}

export function settle(held: KeptHeldCall, now: number): KeptHeldCall {
  const { status, expiresAt } = held;
  if (status === "pending" && expiresAt !== null && Date.parse(expiresAt) <= now)
    return over({ ...held, status: "expired" }, now);
  if (status === "running" && !isClaimed(held, now))
    return over({ ...held, status: "interrupted" }, now);
  return held;
}

export function answered(held: KeptHeldCall, answer: GivenAnswer): KeptHeldCall {
  if (held.status !== "pending") throw notPending(held);
  if (answer.decision === "reject")
    return over({ ...held, status: "rejected", answer }, Date.parse(answer.at));
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

/** It ran: `kept` is what its caller has not got, null where the caller waits for it. */
export function withEnd(
  held: KeptHeldCall,
  status: EndStatus,
  outcome: KeptHeldCall["outcome"],
  kept: KeptOutcome | null,
): KeptHeldCall {
  const ended: KeptHeldCall = { ...held, status, outcome, claim: null };
  const at = outcome?.at ?? new Date().toISOString();
  if (kept === null) return withDelivery(ended, { state: "collected", endedAt: at });
  return withDelivery(ended, { state: "uncollected", endedAt: at, outcome: kept });
}

/** It is over and has not run, or no one knows how it ran. A caller who waits itself learns of it at once. */
function over(held: KeptHeldCall, now: number): KeptHeldCall {
  const isHeard = callerWaits(held, now) && held.caller?.by === undefined;
  return withDelivery(
    { ...held, claim: null },
    { state: isHeard ? "collected" : "uncollected", endedAt: new Date(now).toISOString() },
  );
}

export function withDelivery(held: KeptHeldCall, change: Partial<Delivery>): KeptHeldCall {
  if (held.delivery === undefined) return held;
  return { ...held, delivery: { ...held.delivery, ...change } };
}

/** Within an hour of its end, and not by another while a call that took its caller's place waits for it. */
export function isCollectable(held: KeptHeldCall, by: string, now: number): boolean {
  const { delivery, caller } = held;
  if (delivery?.state !== "uncollected" || held.status === "cancelled") return false;
  const endedAt = Date.parse(delivery.endedAt ?? held.at);
  if (now - endedAt > collectMs) return false;
  const isTaken = caller?.state === "waits" && caller.by !== undefined && caller.by !== by;
  return !isTaken || now - endedAt > approvalLeaseMs;
}

/** What is kept of an outcome until its caller has it. */
export function keptOf({ result, error }: Outcome): KeptOutcome {
  if (result) return { result: bytesOf(result)?.toString() ?? textOf(result) };
  if (!error) return {};
  const { code, message, data } = error;
  return { error: { code, message, data } };
}

function textOf(result: ToolResult): string {
  return sourceTextOf(result) ?? JSON.stringify(result);
}

export function resultIn({ result }: KeptOutcome): ToolResult | null {
  return result === undefined ? null : (parseExactly(result) as ToolResult);
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

/** How a call ended that a person was asked about and that did not run to its end. */
export function endErrorOf({ id, tool, status, answer }: KeptHeldCall): PlaneError {
  const data = { tool, origin: "approval", approvalId: id, status };
  if (status === "cancelled")
    return new PlaneError(
      "CANCELLED",
      `'${tool}' was not run: the caller gave up before it was approved.`,
      { data: { tool, approvalId: id } },
    );
  if (status === "interrupted") {
    const text = `'${tool}' was approved and began, and the plane that ran it ended. It may have run; look before you call it again.`;
    return new PlaneError("OUTCOME_UNKNOWN", text, { data });
  }
  const rejected = `${answer?.by ?? "a person"} rejected it: ${answer?.reason ?? "no reason was given"}`;
  const why = status === "rejected" ? rejected : statusTexts[status];
  return new PlaneError("APPROVAL_DENIED", `'${tool}' was not run: ${why}.`, { data });
}

const placeholder = "«set by the system»";

/** A held call as people see it. Injected arguments are placeholders, unless the caller named them too. */
export function viewOf({
  revision: _,
  onRecord: __,
  delivery: ___,
  ...held
}: KeptHeldCall): HeldView {
  const { arguments: args, answer, injected, verdict } = held;
  const hidden = injected
    .filter((name) => !Object.hasOwn(args, name))
    .map((name) => [name, placeholder]);
  const shown = { ...(answer?.arguments ?? args), ...Object.fromEntries(hidden) };
  return { ...held, ...shownCaller(held), shown, adminRequired: verdict.origin === "rule" };
}

/** A caller whose process has ended waits no longer. */
function shownCaller(held: Omit<KeptHeldCall, "revision">): Pick<HeldView, "caller"> {
  const { caller } = held;
  if (caller?.state !== "waits" || held.status !== "pending") return withoutUndefined({ caller });
  const isThere = held.claim !== null && Date.parse(held.claim.until) > Date.now();
  return { caller: isThere ? caller : { ...caller, state: "left" } };
}
