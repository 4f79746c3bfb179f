import { steadyNow } from "../../lib/async/steady-time.ts";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import type { HeldYes, Injected, Requested } from "../../model/calls/call.ts";
import type { Verdict } from "../../model/calls/call-schema.ts";
import type {
  ApprovalAnswer,
  AskHere,
  HeldOpen,
  KeptHeldCall,
} from "../../model/calls/held-call.ts";
import type { Relay } from "../../model/calls/provider.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Principal } from "../../model/principal.ts";
import type { ApprovalSettings } from "./answerers.ts";
import { type Form, openForm } from "./ask-caller.ts";
import { type Collected, deliveryOf, type EqualCalls, isUnanswered } from "./equal-calls.ts";
import { endErrorOf, withEnd } from "./held-call.ts";
import type { HeldCalls } from "./held-calls.ts";
import { atOrigin } from "./remembered.ts";
import { type Waiting, waitForAnswer } from "./wait-for-answer.ts";

/** Clients give up a request without progress after a minute. */
const silentMs = 50_000;

export type ApprovalContext = {
  askHere?: AskHere | undefined;
  relay?: Pick<Relay, "client" | "onProgress"> | undefined;
  signal?: AbortSignal | undefined;
  stopping?: AbortSignal | undefined;
  /** Of an MCP client. */
  heldOpen?: HeldOpen | undefined;
  /** From now on the call goes on without its caller. */
  goOnAlone?(): void;
};

/** Fields of a class are not copied with an object. */
export function plainContext(context: ApprovalContext): ApprovalContext {
  const { askHere, relay, signal, stopping, heldOpen } = context;
  return { askHere, relay, signal, stopping, heldOpen, goOnAlone: () => context.goOnAlone?.() };
}

export type HoldPorts = {
  heldCalls: HeldCalls;
  equalCalls: EqualCalls;
  settings(): ApprovalSettings;
  answer(id: string, reply: ApprovalAnswer, by: Principal): Promise<unknown>;
  /** Runs an approved call; null where another process has begun it. */
  resume(heldCall: KeptHeldCall): Promise<unknown>;
  mayAnswer(owner: Principal, by: Principal): boolean;
  /** Held calls that a caller's own person sees a form of. */
  forms: Set<string>;
};

/** The call that goes on with a yes. Throws what tells its caller that it waits, or how it was answered. */
export async function askPeople(
  call: Injected,
  verdict: Verdict,
  context: ApprovalContext,
  ports: HoldPorts,
): Promise<Requested> {
  const { heldCalls } = ports;
  const { approvalWaitMs: waitMs } = call.options;
  const askHere = formOf(call, context, ports);
  const isWaiting = context.heldOpen !== undefined || askHere !== undefined || (waitMs ?? 0) > 0;
  const isAwaited = verdict.verdict === "ask" && isWaiting;
  const heldCall = await holdCall(call, verdict, context, isAwaited, ports);
  if (!isAwaited) throw stillPending(heldCall, verdict);
  const formContext = { ...context, askHere };
  const waited = await awaitAnswer(
    heldCall,
    isAnswered,
    formContext,
    ports,
    holdEnd(formContext, ports, waitMs),
  );
  const answered = await letGo(waited, call, formContext, ports);
  if (isUnanswered(answered) && answered.caller?.state !== "waits")
    throw stillPending(answered, verdict);
  if (answered.status !== "approved") throw refusalOf(answered, verdict);
  if (onCallerGone(formContext, ports) === "keep") context.goOnAlone?.();
  return resumed(await heldCalls.begin(heldCall.id), { ...call, isAwaited: true });
}

async function holdCall(
  call: Injected,
  verdict: Verdict,
  { heldOpen, relay }: ApprovalContext,
  isAwaited: boolean,
  { heldCalls, equalCalls }: HoldPorts,
): Promise<KeptHeldCall> {
  const client = relay?.client?.info;
  if (heldOpen === undefined || !isAwaited)
    return heldCalls.hold(call, verdict, { isAwaited, client });
  const delivery = deliveryOf(call, clientName(relay), heldOpen);
  const heldCall = await heldCalls.hold(call, verdict, { isAwaited, client, delivery });
  await equalCalls.add(heldCall);
  heldOpen.putBack = equalCalls.putBack(heldCall.id);
  return heldCall;
}

/** What an earlier equal call came to, which its caller has not got; null where there is none. */
export async function joinEarlier(
  call: Injected,
  verdict: Verdict,
  context: ApprovalContext & { heldOpen: HeldOpen },
  ports: HoldPorts,
): Promise<Collected | null> {
  const { equalCalls } = ports;
  const conversation = call.options.conversation ?? null;
  const collector = { conversation, client: clientName(context.relay) };
  for (;;) {
    const earlier = await equalCalls.find(call, collector);
    if (earlier === null) return null;
    const collected =
      (await equalCalls.collect(earlier.id, call.id)) ??
      (await standIn(earlier.id, call, verdict, context, ports));
    if (collected === null) continue;
    context.heldOpen.putBack = collected.putBack;
    return collected;
  }
}

/** Waits in the place of the earlier caller, without a second question; null where another call was quicker. */
async function standIn(
  id: string,
  call: Injected,
  verdict: Verdict,
  context: ApprovalContext,
  ports: HoldPorts,
): Promise<Collected | null> {
  const { equalCalls, resume, forms } = ports;
  const earlier = await equalCalls.takePlace(id, call.id);
  if (earlier === null) return null;
  const askHere = formOf(call, context, ports);
  const isToAsk = earlier.status === "pending" && !forms.has(id);
  const formContext = { ...context, askHere: isToAsk ? askHere : undefined };
  const until = holdEnd(formContext, ports);
  const decided = await awaitAnswer(earlier, isAnswered, formContext, ports, until);
  if (decided.status === "approved") await resume(decided);
  const isOver = (heldCall: KeptHeldCall) => !isUnanswered(heldCall);
  const ended = isAnswered(decided)
    ? await awaitAnswer(decided, isOver, { ...context, askHere: undefined }, ports, until)
    : decided;
  const released = await letGo(ended, call, { ...context, askHere }, ports);
  if (isUnanswered(released)) throw stillPending(released, verdict, earlier.callId);
  if (released.status === "cancelled") throw endErrorOf(released);
  return equalCalls.collect(id, call.id);
}

function isAnswered({ status }: KeptHeldCall): boolean {
  return status !== "pending";
}

function formOf(
  { principal }: Injected,
  { askHere }: ApprovalContext,
  { mayAnswer }: HoldPorts,
): AskHere | undefined {
  return mayAnswer(principal, principal) ? askHere : undefined;
}

/** Until then, or until this moment, or until the caller leaves or the plane stops. */
async function awaitAnswer(
  heldCall: KeptHeldCall,
  isDone: Waiting["isDone"],
  context: ApprovalContext,
  ports: HoldPorts,
  until: number,
): Promise<KeptHeldCall> {
  const { askHere, heldOpen, signal, stopping, relay } = context;
  const form = askHere === undefined ? null : openForm(heldCall, { ...context, askHere }, ports);
  const ends = [form?.givenUp, signal, stopping].filter((end) => end !== undefined);
  const onProgress = heldOpen && relay?.onProgress;
  const waiting: Waiting = { until, signal: AbortSignal.any(ends), isDone };
  if (onProgress) waiting.onProgress = onProgress;
  return waitForAnswer(heldCall, ports.heldCalls, waiting).finally(() => closeForm(form, context));
}

/** A person who fills in a form of a client may end it after the call was answered that it waits. */
function closeForm(form: Form | null, { heldOpen, signal, stopping }: ApprovalContext): void {
  const isHeard = heldOpen !== undefined && !signal?.aborted && !stopping?.aborted;
  if (!isHeard) form?.close();
}

/** When a caller is answered that its call waits. Without a limit it is when the question expires. */
function holdEnd(
  { heldOpen, askHere, relay }: ApprovalContext,
  { settings }: HoldPorts,
  waitMs?: number,
): number {
  const hasNoLimit = heldOpen === undefined ? askHere !== undefined : heldOpen.asksInAnswer;
  if (hasNoLimit && askHere) return Number.POSITIVE_INFINITY;
  if (heldOpen === undefined) return steadyNow() + (waitMs ?? 0);
  const { holdMs } = settings();
  const hasProgress = relay?.onProgress !== undefined;
  return steadyNow() + (hasProgress ? holdMs : Math.min(holdMs, silentMs));
}

/** What becomes of the question of a caller who leaves. A person at a client with forms goes with it. */
function onCallerGone(
  { heldOpen, askHere }: ApprovalContext,
  { settings }: HoldPorts,
): "keep" | "cancel" {
  return settings().onCallerGone ?? (heldOpen && !askHere ? "keep" : "cancel");
}

/** The caller waits no longer. An answer of the last moment still counts. */
async function letGo(
  heldCall: KeptHeldCall,
  call: Injected,
  context: ApprovalContext,
  ports: HoldPorts,
): Promise<KeptHeldCall> {
  const hasLeft = context.signal?.aborted === true && context.stopping?.aborted !== true;
  const isKept = onCallerGone(context, ports) === "keep";
  const isGone = heldCall.status === "approved" && hasLeft && isKept;
  if (!isUnanswered(heldCall) || (heldCall.status === "approved" && !isGone)) return heldCall;
  const updated = await ports.heldCalls.change(heldCall.id, (newest) => {
    if (!isUnanswered(newest) || !isPlaceOf(newest, call)) return newest;
    if (newest.status === "pending" && hasLeft && !isKept)
      return withEnd(newest, "cancelled", null, null);
    if (newest.status === "approved" && !isGone) return newest;
    const caller = {
      state: hasLeft ? ("left" as const) : ("told" as const),
      at: new Date().toISOString(),
    };
    const claim = newest.status === "running" ? newest.claim : null;
    return { ...newest, claim, caller, onRecord: true };
  });
  if (isGone) void ports.resume(updated).catch(() => undefined);
  return updated;
}

/** Is it still this call that waits there? */
function isPlaceOf({ callId, caller }: KeptHeldCall, { id }: Injected): boolean {
  return caller === undefined || (caller.by ?? callId) === id;
}

export function resumed(
  heldCall: KeptHeldCall,
  call: Pick<Requested, "id" | "at" | "files"> & { isAwaited?: boolean; waitedSince?: string },
): Requested {
  const { id, toolId, principal, face, options, answer } = heldCall;
  const edited = answer?.arguments ?? null;
  const request = { tool: toolId, arguments: edited ?? heldCall.before ?? heldCall.arguments };
  const fingerprint = atOrigin(heldCall.fingerprint, heldCall.origin);
  const approved: HeldYes = {
    id,
    fingerprint,
    by: answer?.by ?? null,
    arguments: edited === null ? heldCall.arguments : null,
  };
  if (call.isAwaited) approved.isAwaited = true;
  const { files, waitedSince } = call;
  const optionalFields = withoutUndefined({ files, waitedSince });
  return {
    id: call.id,
    at: call.at,
    asked: request,
    principal,
    face,
    options,
    ...optionalFields,
    approved,
  };
}

/** `standsFor` is the call whose place this one has taken: that one waits, this one does not. */
function stillPending(
  { id, tool, plan, delivery }: KeptHeldCall,
  { origin, reason }: Verdict,
  standsFor?: string,
): PlaneError {
  const data = withoutUndefined({
    tool,
    origin,
    approvalId: id,
    isCollected: delivery === undefined ? undefined : true,
    standsFor,
  });
  const waits = `'${tool}' needs a person's yes: ${reason}. It waits as approval '${id}'.`;
  if (plan === null) return new PlaneError("APPROVAL_REQUIRED", waits, { data });
  const queued = `[PLAN MODE] '${tool}' was not run but queued for approval as change '${id}' of plan '${plan}': ${reason}. Go on with what can be done without it; it runs when a person approves the plan.`;
  return new PlaneError("PLAN_QUEUED", queued, { data: { ...data, planId: plan } });
}

/** Where another process took it over meanwhile, its outcome is there for the next equal call. */
function refusalOf(heldCall: KeptHeldCall, verdict: Verdict): PlaneError {
  const { status } = heldCall;
  const isElsewhere = isUnanswered(heldCall) || status === "done" || status === "failed";
  if (isElsewhere) return stillPending(heldCall, verdict);
  return endErrorOf(heldCall);
}

function clientName(relay: ApprovalContext["relay"]): string | null {
  const name = relay?.client?.info?.name;
  return typeof name === "string" ? name : null;
}
