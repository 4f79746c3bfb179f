import type { Injected, Requested, Verdict } from "../../model/calls/call.ts";
import type { Answer, AskHere, HeldCall, HeldView, KeptHeldCall } from "../../model/calls/held-call.ts";
import { PlaneError, toPlaneError } from "../../model/errors.ts";
import type { Principal } from "../../model/principal.ts";
import type { HeldCalls } from "./held-calls.ts";
import { describeStatus, ended, lease, leaseMs } from "./states.ts";
import { viewOf } from "./view.ts";

/** How often to look whether another process has answered. */
const lookMs = 500;

type Waiting = {
  /** How long the caller stays; as long as the question is good when left out. */
  waitMs: number | undefined;
  signal: AbortSignal | undefined;
};

/** The call once it is answered or over, or as it is when the caller stays no longer. */
async function waitForAnswer(
  held: KeptHeldCall,
  heldCalls: HeldCalls,
  { waitMs, signal }: Waiting,
): Promise<KeptHeldCall> {
  const staysUntil = waitMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + waitMs;
  let news = Promise.withResolvers<void>();
  const leave = heldCalls.watch(held.id, () => news.resolve());
  signal?.addEventListener("abort", wake);
  function wake() {
    news.resolve();
  }
  try {
    let current = held;
    while (current.status === "pending" && Date.now() < staysUntil && !signal?.aborted) {
      const timer = setTimeout(wake, Math.min(lookMs, staysUntil - Date.now()));
      await news.promise;
      clearTimeout(timer);
      news = Promise.withResolvers();
      current = await stay(current, heldCalls);
    }
    return current;
  } finally {
    leave();
    signal?.removeEventListener("abort", wake);
  }
}

/** As it is now. A store that is away for a moment has answered nothing, and is no reason to send the caller away. */
async function stay(known: KeptHeldCall, heldCalls: HeldCalls): Promise<KeptHeldCall> {
  try {
    return await look(known.id, heldCalls);
  } catch (thrown) {
    if (thrown instanceof PlaneError && thrown.data.lost === true) return known;
    throw thrown;
  }
}

/** Says from time to time that somebody still waits. */
async function look(id: string, heldCalls: HeldCalls): Promise<KeptHeldCall> {
  const current = await heldCalls.get(id);
  if (current === null) throw new Error(`the held call '${id}' is gone`);
  if (current.status !== "pending" || !isWearing(current)) return current;
  return heldCalls.change(id, (newest) =>
    newest.status === "pending" ? { ...newest, claim: lease(heldCalls.instance, Date.now()) } : newest,
  );
}

function isWearing({ claim }: HeldCall): boolean {
  return claim === null || Date.parse(claim.until) - Date.now() < leaseMs / 2;
}

/** Who can be asked right now, and until when. */
export type Asking = {
  askHere?: AskHere | undefined;
  signal?: AbortSignal | undefined;
  stopping?: AbortSignal | undefined;
};

export type Holding = {
  heldCalls: HeldCalls;
  /** Takes what whoever made the call says to it. */
  answer(id: string, given: Answer, by: Principal): Promise<unknown>;
};

/** Holds a call and, where its caller stays for the answer, goes on with it. */
export async function putToPeople(
  call: Injected,
  verdict: Verdict,
  { askHere, signal, stopping }: Asking,
  { heldCalls, answer }: Holding,
): Promise<Requested> {
  const waitMs = call.options.approvalWaitMs;
  const waits = verdict.verdict === "ask" && (askHere !== undefined || (waitMs ?? 0) > 0);
  const held = await heldCalls.hold(call, verdict, waits);
  if (!waits) throw waitsForSomebody(held, verdict);
  const asked = new AbortController();
  const both = AbortSignal.any([asked.signal, signal, stopping].filter((one) => one !== undefined));
  if (askHere) void askThere(viewOf(held), askHere, both, answer, () => asked.abort());
  const stays = { waitMs: askHere ? undefined : waitMs, signal: both };
  const waited = await waitForAnswer(held, heldCalls, stays).finally(() => asked.abort());
  const hasLeft = signal?.aborted === true && stopping?.aborted !== true;
  const answered = waited.status === "pending" ? await leave(waited, verdict, heldCalls, hasLeft) : waited;
  if (answered.status !== "approved") throw refused(answered);
  return resumed(await heldCalls.begin(held.id), call);
}

/** The call that goes on after a yes. */
export function resumed(held: KeptHeldCall, call: Pick<Requested, "id" | "at" | "files">): Requested {
  const { answer } = held;
  const edited = answer?.arguments ?? null;
  return {
    id: call.id,
    at: call.at,
    asked: { tool: held.toolId, arguments: edited ?? held.before ?? held.arguments },
    principal: held.principal,
    face: held.face,
    options: held.options,
    ...(call.files === undefined ? {} : { files: call.files }),
    approved: {
      id: held.id,
      fingerprint: held.fingerprint,
      by: answer?.by ?? null,
      arguments: edited === null ? held.arguments : null,
    },
  };
}

async function askThere(
  view: HeldView,
  askHere: AskHere,
  signal: AbortSignal,
  answer: Holding["answer"],
  giveUp: () => void,
): Promise<void> {
  let problem: string | null = null;
  while (!signal.aborted) {
    try {
      const given = await askHere(view, signal, problem);
      if (given === null) return giveUp();
      await answer(view.id, given, view.principal);
      return;
    } catch (thrown) {
      const { code, message } = toPlaneError(thrown);
      // Changed arguments that do not fit can be changed again; anything else ends the asking, not the question.
      if (code !== "INVALID_ARGUMENTS" && code !== "USAGE") return giveUp();
      problem = message;
    }
  }
}

/** Nobody waits any longer; what was answered at the last moment is told as if it had been waited for. */
async function leave(
  held: KeptHeldCall,
  verdict: Verdict,
  heldCalls: HeldCalls,
  hasLeft: boolean,
): Promise<KeptHeldCall> {
  const now = await heldCalls.change(held.id, (newest) => {
    if (newest.status !== "pending") return newest;
    return hasLeft ? ended(newest, "cancelled", null) : { ...newest, claim: null };
  });
  if (now.status === "pending") throw waitsForSomebody(now, verdict);
  if (now.status === "cancelled")
    throw new PlaneError("CANCELLED", `'${held.tool}' was not run: the caller gave up before it was approved.`, {
      data: { tool: held.tool, approvalId: held.id },
    });
  return now;
}

function waitsForSomebody({ id, tool, plan }: KeptHeldCall, { origin, reason }: Verdict): PlaneError {
  if (plan !== null)
    return new PlaneError(
      "PLAN_QUEUED",
      `[PLAN MODE] '${tool}' was not run but queued for approval as change '${id}' of plan '${plan}': ${reason}. Go on with what can be done without it; it runs when a person approves the plan.`,
      { data: { tool, origin, approvalId: id, planId: plan } },
    );
  return new PlaneError(
    "APPROVAL_REQUIRED",
    `'${tool}' needs a person's yes: ${reason}. It waits as approval '${id}'.`,
    {
      data: { tool, origin, approvalId: id },
    },
  );
}

function refused({ id, tool, status, answer }: KeptHeldCall): PlaneError {
  const why =
    status === "rejected"
      ? `${answer?.by ?? "a person"} rejected it: ${answer?.reason ?? "no reason was given"}`
      : describeStatus(status);
  return new PlaneError("APPROVAL_DENIED", `'${tool}' was not run: ${why}.`, {
    data: { tool, origin: "approval", approvalId: id, status },
  });
}
