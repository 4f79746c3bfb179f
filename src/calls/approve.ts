import {
  type ApprovalPorts,
  type Collected,
  loadApprovals as openApprovals,
  ownYesCounts,
} from "../access/access.ts";
import { lazily } from "../lib/async/lazily.ts";
import { once } from "../lib/async/once.ts";
import { sameJson } from "../lib/json/plain-data.ts";
import type {
  Approved,
  Executed,
  HeldYes,
  Injected,
  Outcome,
  Requested,
} from "../model/calls/call.ts";
import type { Verdict } from "../model/calls/call-schema.ts";
import type { AskHere, HeldOpen } from "../model/calls/held-call.ts";
import type { Tool } from "../model/catalogue/tool.ts";
import { type ErrorData, PlaneError } from "../model/errors.ts";
import type { PlaneApprovals, PlanePlans } from "../model/plane-access.ts";
import type { Inside, Principal } from "../model/principal.ts";
import type { Executing } from "./execute.ts";
import { requireReadable } from "./validate.ts";

export type CallContext = Executing & {
  /** Of an MCP client. */
  heldOpen?: HeldOpen | undefined;
  /** From now on the call goes on without its caller. */
  goOnAlone?(): void;
  askHere?: AskHere | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Aborted when the plane, not the caller, goes: waiting calls stay. */
  stopping?: AbortSignal | undefined;
};

export type ApproveOptions = {
  /** Does the caller's own consent count? Not where others are asked. */
  ownCounts(caller: Principal): boolean;
  decide(call: Injected): Verdict | Promise<Verdict>;
  /** The reason of an earlier yes to such calls, or null. */
  remembered(call: Injected, verdict: Verdict): Promise<string | null>;
  /** Is it the tool that this fingerprint was made of? */
  isSameTool(tool: Tool, fingerprint: string): Promise<boolean>;
  /** May a call of this tool be equal to an earlier one whose outcome its caller has not got? */
  hasOpen(tool: Tool): boolean;
  /** What such a call came to; null where there is none. Waits in the place of its caller. */
  join(
    call: Injected,
    verdict: Verdict,
    heldOpen: HeldOpen,
    context: CallContext,
  ): Promise<Collected | null>;
  /** Stores the call and asks a person. Resolves with the call that continues, or throws. */
  hold(call: Injected, verdict: Verdict, context: CallContext): Promise<Requested>;
};

export function approve(
  call: Injected,
  options: ApproveOptions,
  context: CallContext = {},
): Approved | Promise<Approved | Requested | Executed> {
  const verdict = call.judged?.verdict ?? options.decide(call);
  const mayCollect = context.heldOpen !== undefined && options.hasOpen(call.tool);
  // Most calls need no approval.
  if (!(verdict instanceof Promise) && verdict.verdict === "allow" && !call.approved && !mayCollect)
    return withVerdict(call, verdict);
  return ask(call, verdict, options, context);
}

function withVerdict(call: Injected, verdict: Verdict): Approved {
  const approved = call as Approved;
  approved.approval = verdict;
  return approved;
}

async function ask(
  call: Injected,
  decided: Verdict | Promise<Verdict>,
  options: ApproveOptions,
  context: CallContext,
): Promise<Approved | Requested | Executed> {
  const { ownCounts, remembered, isSameTool, hold } = options;
  const { judged } = call;
  const verdict = await decided;
  const { origin, reason } = verdict;
  if (verdict.verdict === "deny") throw denied(call, reason, { origin });
  const collected = await collect(call, verdict, options, context);
  if (collected !== null) return collected;
  // A yes was given to what was shown, so with hooks it is checked even if none is needed any more.
  const isFree = verdict.verdict === "allow" && !(judged && call.approved);
  if (isFree || call.options.dryRun) return withVerdict(call, verdict);
  if (call.approved) return withVerdict(call, await confirm(call, call.approved, isSameTool));
  if (verdict.verdict === "ask") {
    // Earlier consent covers the written arguments, not those of a hook.
    if (call.options.consent && ownCounts(call.principal) && (judged?.before ?? null) === null)
      return withVerdict(call, { verdict: "allow", origin: "user", reason });
    const earlierReason = await remembered(call, verdict);
    if (earlierReason !== null)
      return withVerdict(call, { verdict: "allow", origin: "user_auto", reason: earlierReason });
  }
  requireReadable(call, "a person would be asked about that one");
  const continuing = await hold(call, verdict, context);
  if (!call.hooks) return continuing;
  return { ...continuing, hooks: call.hooks };
}

/** A call that asks for what an equal one came to is authorised as any other, and runs nothing. */
async function collect(
  call: Injected,
  verdict: Verdict,
  { join, hasOpen }: ApproveOptions,
  context: CallContext,
): Promise<Executed | null> {
  const { heldOpen, relay } = context;
  const { consent, dryRun } = call.options;
  const isNew = call.approved === undefined && consent !== true && dryRun !== true;
  if (heldOpen === undefined || !isNew || isContinued(relay)) return null;
  if (verdict.verdict !== "ask" && !hasOpen(call.tool)) return null;
  const earlier = await join(call, verdict, heldOpen, context);
  if (earlier === null) return null;
  const { of, result, error } = earlier;
  if (result === null) throw withOrigin(error, of);
  const executed = withVerdict(call, verdict) as Executed;
  executed.executed = { result, provider: "", attempts: [], warnings: [], collected: of };
  return executed;
}

/** It brings the answers that a server asked for. */
function isContinued(relay: CallContext["relay"]): boolean {
  const { inputResponses, requestState } = relay?.continuation ?? {};
  return inputResponses !== undefined || requestState !== undefined;
}

function withOrigin(error: PlaneError | null, collected: Collected["of"]): PlaneError {
  const { code, message, data } = error ?? new PlaneError("INTERNAL", "The outcome is not known.");
  const text = `${message} ${collectedText(collected)}`;
  return new PlaneError(code, text, { data: { ...data, collected } });
}

/** Says which call an outcome answers, and what to do for another. */
export function collectedText({ call, at }: Collected["of"]): string {
  return `This is the outcome of your earlier call '${call}', which ended at ${at} after it had waited for a person. It is given once: call again only if you want another run.`;
}

/** A yes holds only for what was shown. */
async function confirm(
  call: Injected,
  yes: HeldYes,
  isSameTool: ApproveOptions["isSameTool"],
): Promise<Verdict> {
  const isSame = await isSameTool(call.tool, yes.fingerprint);
  if (!isSame || !isWhatWasShown(call, yes)) {
    const what = isSame ? "what becomes of the arguments" : "the tool";
    const reason = `${what} has changed since '${yes.id}' was approved. Make the call again`;
    throw denied(call, reason, { origin: "approval", approvalId: yes.id, isVoid: true });
  }
  const reason = `${yes.by ?? "a person"} approved '${yes.id}'`;
  return { verdict: "allow", origin: "approval", reason, approvalId: yes.id };
}

function denied({ tool: { name } }: Injected, reason: string, data: ErrorData): PlaneError {
  return new PlaneError("APPROVAL_DENIED", `'${name}' was not run: ${reason}.`, {
    data: { tool: name, ...data },
  });
}

/** Edited arguments are not shown again, so a hook may not change them. */
function isWhatWasShown({ input, judged }: Injected, yes: HeldYes): boolean {
  if (yes.arguments === null) return (judged?.before ?? null) === null;
  return sameJson(yes.arguments, input.arguments);
}

export type Approvals = ReturnType<typeof createLazyApprovals>;

/** Loaded when a call needs approval or a verb is used. */
export function createLazyApprovals(parts: ApprovalPorts) {
  let opened: Awaited<ReturnType<typeof openApprovals>> | undefined;
  const loaded = once(async () => {
    opened = await openApprovals(parts);
    return opened;
  });
  const stage: Omit<ApproveOptions, "decide"> = {
    ownCounts: (caller) => ownYesCounts(parts.config().approvals, caller),
    remembered: async (call, verdict) => (await loaded()).remembered(call, verdict),
    isSameTool: async (tool, fingerprint) => (await loaded()).isSameTool(tool, fingerprint),
    hold: async (call, verdict, context) => (await loaded()).hold(call, verdict, context),
    join: async (...joining) => (await loaded()).join(...joining),
    hasOpen: (tool) => opened?.hasOpen(tool) ?? false,
  };
  const approvals: Inside<PlaneApprovals> = lazily(
    async () => (await loaded()).verbs.approvals,
    ["list", "page", "get", "answer", "remembered", "forget"],
  );
  const plans: Omit<Inside<PlanePlans>, "check"> = lazily(
    async () => (await loaded()).verbs.plans,
    ["list", "get", "approve", "reject"],
  );
  return {
    stage,
    verbs: { approvals, plans },
    onApprovedEnd: async (yes: HeldYes, outcome: Outcome) =>
      (await loaded()).onApprovedEnd(yes, outcome),
    conversationEnded: async (conversation: string, principal: Principal) =>
      opened?.conversationEnded(conversation, principal),
    start: () => void loaded().then(({ start }) => start()),
    async stop(): Promise<void> {
      if (loaded.made()) (await loaded()).stop();
    },
  };
}
