import { steadyNow } from "../../lib/async/steady-time.ts";
import type { Injected, Requested } from "../../model/calls/call.ts";
import type { Verdict } from "../../model/calls/call-schema.ts";
import type { ApprovalAnswer, AskHere, KeptHeldCall } from "../../model/calls/held-call.ts";
import type { HeldView } from "../../model/calls/held-schema.ts";
import type { Relay } from "../../model/calls/provider.ts";
import { PlaneError, toPlaneError } from "../../model/errors.ts";
import type { Principal } from "../../model/principal.ts";
import { approvalLeaseMs, lease, statusTexts, viewOf, withEnd } from "./held-call.ts";
import type { HeldCalls } from "./held-calls.ts";
import { atOrigin } from "./remembered.ts";

/** How often to look whether another process has answered. */
const pollMs = 500;

/** A client that answers by itself would be asked without end. */
const maxTimesAsked = 10;

export type ApprovalContext = {
  askHere?: AskHere | undefined;
  relay?: Pick<Relay, "client"> | undefined;
  signal?: AbortSignal | undefined;
  stopping?: AbortSignal | undefined;
};

export type HoldPorts = {
  heldCalls: HeldCalls;
  answer(id: string, given: ApprovalAnswer, by: Principal): Promise<unknown>;
  mayAnswer(owner: Principal, by: Principal): boolean;
};

export async function askPeople(
  call: Injected,
  verdict: Verdict,
  { askHere: ask, signal, stopping, relay }: ApprovalContext,
  { heldCalls, answer, mayAnswer }: HoldPorts,
): Promise<Requested> {
  const waitMs = call.options.approvalWaitMs;
  const askHere = mayAnswer(call.principal, call.principal) ? ask : undefined;
  const isWaitedFor = verdict.verdict === "ask" && (askHere !== undefined || (waitMs ?? 0) > 0);
  const held = await heldCalls.hold(call, verdict, isWaitedFor, relay?.client?.info);
  if (!isWaitedFor) throw stillPending(held, verdict);
  const asked = new AbortController();
  const ending = AbortSignal.any(
    [asked.signal, signal, stopping].filter((one) => one !== undefined),
  );
  const giveUp = () => asked.abort();
  if (askHere) void askCaller(viewOf(held), { askHere, signal: ending, answer, giveUp });
  const waited = await waitForAnswer(held, heldCalls, askHere ? undefined : waitMs, ending).finally(
    giveUp,
  );
  const hasLeft = signal?.aborted === true && stopping?.aborted !== true;
  const answered =
    waited.status === "pending" ? await leave(waited, verdict, heldCalls, hasLeft) : waited;
  if (answered.status !== "approved") throw refused(answered);
  return resumed(await heldCalls.begin(held.id), call);
}

export function resumed(
  held: KeptHeldCall,
  call: Pick<Requested, "id" | "at" | "files">,
): Requested {
  const { id, toolId, principal, face, options, answer } = held;
  const edited = answer?.arguments ?? null;
  const asked = { tool: toolId, arguments: edited ?? held.before ?? held.arguments };
  const fingerprint = atOrigin(held.fingerprint, held.origin);
  const approved = {
    id,
    fingerprint,
    by: answer?.by ?? null,
    arguments: edited === null ? held.arguments : null,
  };
  const files = call.files === undefined ? {} : { files: call.files };
  return { id: call.id, at: call.at, asked, principal, face, options, ...files, approved };
}

/** The call once it is answered or over, or as it is when the wait ends. Without `waitMs` that is when it expires. */
async function waitForAnswer(
  held: KeptHeldCall,
  heldCalls: HeldCalls,
  waitMs: number | undefined,
  signal: AbortSignal,
): Promise<KeptHeldCall> {
  const waitUntil = waitMs === undefined ? Number.POSITIVE_INFINITY : steadyNow() + waitMs;
  let changed = Promise.withResolvers<void>();
  const wake = () => changed.resolve();
  const unwatch = heldCalls.watch(held.id, wake);
  signal.addEventListener("abort", wake);
  try {
    let current = held;
    while (current.status === "pending" && steadyNow() < waitUntil && !signal.aborted) {
      const timer = setTimeout(wake, Math.min(pollMs, waitUntil - steadyNow()));
      await changed.promise;
      clearTimeout(timer);
      changed = Promise.withResolvers();
      current = await poll(current, heldCalls);
    }
    return current;
  } finally {
    unwatch();
    signal.removeEventListener("abort", wake);
  }
}

/** As it is now, with the lease renewed. While the store is unreachable the last known state counts. */
async function poll(known: KeptHeldCall, heldCalls: HeldCalls): Promise<KeptHeldCall> {
  try {
    const current = await heldCalls.get(known.id);
    if (current === null) throw new Error(`the held call '${known.id}' is gone`);
    const leftMs = current.claim === null ? 0 : Date.parse(current.claim.until) - Date.now();
    if (current.status !== "pending" || leftMs >= approvalLeaseMs / 2) return current;
    return await heldCalls.change(known.id, (newest) =>
      newest.status === "pending"
        ? { ...newest, claim: lease(heldCalls.instance, Date.now()) }
        : newest,
    );
  } catch (thrown) {
    if (thrown instanceof PlaneError && thrown.data.lost === true) return known;
    throw thrown;
  }
}

type CallerPrompt = {
  askHere: AskHere;
  signal: AbortSignal;
  answer: HoldPorts["answer"];
  giveUp(): void;
};

async function askCaller(
  view: HeldView,
  { askHere, signal, answer, giveUp }: CallerPrompt,
): Promise<void> {
  let problem: string | null = null;
  for (let asked = 0; asked < maxTimesAsked && !signal.aborted; asked += 1) {
    try {
      const given = await askHere(view, signal, problem);
      return given === null ? giveUp() : void (await answer(view.id, given, view.principal));
    } catch (thrown) {
      const { code, message } = toPlaneError(thrown);
      // Invalid arguments can be changed again; anything else ends the asking, not the question.
      if (code !== "INVALID_ARGUMENTS" && code !== "USAGE") return giveUp();
      problem = message;
    }
  }
  giveUp();
}

/** The caller stops waiting; an answer of the last moment still counts. */
async function leave(held: KeptHeldCall, verdict: Verdict, heldCalls: HeldCalls, hasLeft: boolean) {
  const now = await heldCalls.change(held.id, (newest) => {
    if (newest.status !== "pending") return newest;
    return hasLeft ? withEnd(newest, "cancelled", null) : { ...newest, claim: null };
  });
  if (now.status === "pending") throw stillPending(now, verdict);
  if (now.status !== "cancelled") return now;
  const text = `'${held.tool}' was not run: the caller gave up before it was approved.`;
  throw new PlaneError("CANCELLED", text, { data: { tool: held.tool, approvalId: held.id } });
}

function stillPending({ id, tool, plan }: KeptHeldCall, { origin, reason }: Verdict): PlaneError {
  const data = { tool, origin, approvalId: id };
  const waits = `'${tool}' needs a person's yes: ${reason}. It waits as approval '${id}'.`;
  if (plan === null) return new PlaneError("APPROVAL_REQUIRED", waits, { data });
  const queued = `[PLAN MODE] '${tool}' was not run but queued for approval as change '${id}' of plan '${plan}': ${reason}. Go on with what can be done without it; it runs when a person approves the plan.`;
  return new PlaneError("PLAN_QUEUED", queued, { data: { ...data, planId: plan } });
}

function refused({ id, tool, status, answer }: KeptHeldCall): PlaneError {
  const rejected = `${answer?.by ?? "a person"} rejected it: ${answer?.reason ?? "no reason was given"}`;
  const why = status === "rejected" ? rejected : statusTexts[status];
  const data = { tool, origin: "approval", approvalId: id, status };
  return new PlaneError("APPROVAL_DENIED", `'${tool}' was not run: ${why}.`, { data });
}
