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

export function isAbandoned(heldCall: KeptHeldCall, now: number): boolean {
  const { status, answer } = heldCall;
  if (status !== "approved" || isClaimed(heldCall, now)) return false;
  return answer === null || Date.parse(answer.at) + graceMs <= now;
}

/** Its request is open, and the process that answers it lives. */
export function callerWaits(heldCall: KeptHeldCall, now: number): boolean {
  return heldCall.caller?.state === "waits" && isClaimed(heldCall, now);
}

export function settle(heldCall: KeptHeldCall, now: number): KeptHeldCall {
  const { status, expiresAt } = heldCall;
  if (status === "pending" && expiresAt !== null && Date.parse(expiresAt) <= now)
    return over({ ...heldCall, status: "expired" }, now);
  if (status === "running" && !isClaimed(heldCall, now))
    return over({ ...heldCall, status: "interrupted" }, now);
  return heldCall;
}

export function answered(heldCall: KeptHeldCall, answer: GivenAnswer): KeptHeldCall {
  if (heldCall.status !== "pending") throw notPending(heldCall);
  if (answer.decision === "reject")
    return over({ ...heldCall, status: "rejected", answer }, Date.parse(answer.at));
  const { threshold = 1, yeses = [] } = heldCall;
  if (threshold === 1) return { ...heldCall, status: "approved", answer };
  if (yeses.some((yes) => isSamePerson(yes, answer)))
    throw new PlaneError(
      "CONFLICT",
      `You have already approved '${heldCall.id}'; it needs ${threshold} approvers.`,
    );
  const allYeses = [...yeses, answer];
  if (allYeses.length < threshold) return { ...heldCall, yeses: allYeses };
  return { ...heldCall, status: "approved", yeses: allYeses, answer };
}

/** A key adds no person to the one who created it. */
function isSamePerson(first: GivenAnswer, second: GivenAnswer): boolean {
  const person = ({ by: user, keyCreators = [] }: GivenAnswer) => ({ user, keyCreators });
  return actsFor(person(first), second.by) || actsFor(person(second), first.by);
}

/** A call begins once: only an approved one can. */
export function withBegin(heldCall: KeptHeldCall, by: string, now: number): KeptHeldCall {
  if (heldCall.status !== "approved") throw notPending(heldCall);
  return { ...heldCall, status: "running", claim: lease(by, now) };
}

export type EndStatus = Extract<HeldStatus, "done" | "failed" | "void" | "cancelled">;

/** It ran: `kept` is what its caller has not got, null where the caller waits for it. */
export function withEnd(
  heldCall: KeptHeldCall,
  status: EndStatus,
  outcome: KeptHeldCall["outcome"],
  keptOutcome: KeptOutcome | null,
): KeptHeldCall {
  const ended: KeptHeldCall = { ...heldCall, status, outcome, claim: null };
  const endedAt = outcome?.at ?? new Date().toISOString();
  if (keptOutcome === null) return withDelivery(ended, { state: "collected", endedAt: endedAt });
  return withDelivery(ended, { state: "uncollected", endedAt: endedAt, outcome: keptOutcome });
}

/** It is over and has not run, or no one knows how it ran. A caller who waits itself learns of it at once. */
function over(heldCall: KeptHeldCall, now: number): KeptHeldCall {
  const isHeard = callerWaits(heldCall, now) && heldCall.caller?.by === undefined;
  return withDelivery(
    { ...heldCall, claim: null },
    { state: isHeard ? "collected" : "uncollected", endedAt: new Date(now).toISOString() },
  );
}

export function withDelivery(heldCall: KeptHeldCall, change: Partial<Delivery>): KeptHeldCall {
  if (heldCall.delivery === undefined) return heldCall;
  return { ...heldCall, delivery: { ...heldCall.delivery, ...change } };
}

/** Within an hour of its end, and not by another while a call that took its caller's place waits for it. */
export function isCollectable(heldCall: KeptHeldCall, by: string, now: number): boolean {
  const { delivery, caller } = heldCall;
  if (delivery?.state !== "uncollected" || heldCall.status === "cancelled") return false;
  const endedAt = Date.parse(delivery.endedAt ?? heldCall.at);
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
  if (result === undefined) return null;
  return parseExactly(result) as ToolResult;
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
  ...heldCall
}: KeptHeldCall): HeldView {
  const { arguments: args, answer, injected, verdict } = heldCall;
  const hidden = injected
    .filter((name) => !Object.hasOwn(args, name))
    .map((name) => [name, placeholder]);
  const shown = { ...(answer?.arguments ?? args), ...Object.fromEntries(hidden) };
  return { ...heldCall, ...shownCaller(heldCall), shown, adminRequired: verdict.origin === "rule" };
}

/** A caller whose process has ended waits no longer. */
function shownCaller(heldCall: Omit<KeptHeldCall, "revision">): Pick<HeldView, "caller"> {
  const { caller } = heldCall;
  if (caller?.state !== "waits" || heldCall.status !== "pending")
    return withoutUndefined({ caller });
  const isThere = heldCall.claim !== null && Date.parse(heldCall.claim.until) > Date.now();
  return { caller: isThere ? caller : { ...caller, state: "left" } };
}
