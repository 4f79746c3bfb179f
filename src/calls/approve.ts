import {
  type ApprovalPorts,
  loadApprovals as openApprovals,
  ownYesCounts,
} from "../access/access.ts";
import { once } from "../lib/async/once.ts";
import { sameJson } from "../lib/json/plain-data.ts";
import type { Approved, HeldYes, Injected, Outcome, Requested } from "../model/calls/call.ts";
import type { Verdict } from "../model/calls/call-schema.ts";
import type { AskHere } from "../model/calls/held-call.ts";
import type { Tool } from "../model/catalogue/tool.ts";
import { type ErrorData, PlaneError } from "../model/errors.ts";
import type { PlaneApprovals, PlanePlans } from "../model/plane-access.ts";
import type { Inside, Principal } from "../model/principal.ts";
import type { Executing } from "./execute.ts";
import { requireReadable } from "./validate.ts";

export type CallContext = Executing & {
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
  /** Stores the call and asks a person. Resolves with the call that continues, or throws. */
  hold(call: Injected, verdict: Verdict, asking: CallContext): Promise<Requested>;
};

export function approve(
  call: Injected,
  options: ApproveOptions,
  asking: CallContext = {},
): Approved | Promise<Approved | Requested> {
  const verdict = call.judged?.verdict ?? options.decide(call);
  // Most calls need no approval.
  if (!(verdict instanceof Promise) && verdict.verdict === "allow" && !call.approved)
    return withVerdict(call, verdict);
  return ask(call, verdict, options, asking);
}

function withVerdict(call: Injected, verdict: Verdict): Approved {
  const approved = call as Approved;
  approved.approval = verdict;
  return approved;
}

async function ask(
  call: Injected,
  decided: Verdict | Promise<Verdict>,
  { ownCounts, remembered, isSameTool, hold }: ApproveOptions,
  asking: CallContext,
): Promise<Approved | Requested> {
  const { judged } = call;
  const verdict = await decided;
  const { origin, reason } = verdict;
  if (verdict.verdict === "deny") throw denied(call, reason, { origin });
  // A yes was given to what was shown, so with hooks it is checked even if none is needed any more.
  const isFree = verdict.verdict === "allow" && !(judged && call.approved);
  if (isFree || call.options.dryRun) return withVerdict(call, verdict);
  if (call.approved) return withVerdict(call, await confirm(call, call.approved, isSameTool));
  if (verdict.verdict === "ask") {
    // Earlier consent covers the written arguments, not those of a hook.
    if (call.options.consent && ownCounts(call.principal) && (judged?.before ?? null) === null)
      return withVerdict(call, { verdict: "allow", origin: "user", reason });
    const before = await remembered(call, verdict);
    if (before !== null)
      return withVerdict(call, { verdict: "allow", origin: "user_auto", reason: before });
  }
  requireReadable(call, "a person would be asked about that one");
  const answered = await hold(call, verdict, asking);
  return call.hooks ? { ...answered, hooks: call.hooks } : answered;
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
  const loaded = once(() => openApprovals(parts));
  const stage: Omit<ApproveOptions, "decide"> = {
    ownCounts: (caller) => ownYesCounts(parts.config().approvals, caller),
    remembered: async (call, verdict) => (await loaded()).remembered(call, verdict),
    isSameTool: async (tool, fingerprint) => (await loaded()).isSameTool(tool, fingerprint),
    hold: async (call, verdict, asking) => (await loaded()).hold(call, verdict, asking),
  };
  const approvals: Inside<PlaneApprovals> = {
    list: async (...args) => (await loaded()).verbs.approvals.list(...args),
    page: async (...args) => (await loaded()).verbs.approvals.page(...args),
    get: async (...args) => (await loaded()).verbs.approvals.get(...args),
    answer: async (...args) => (await loaded()).verbs.approvals.answer(...args),
    remembered: async (...args) => (await loaded()).verbs.approvals.remembered(...args),
    forget: async (...args) => (await loaded()).verbs.approvals.forget(...args),
  };
  const plans: Omit<Inside<PlanePlans>, "check"> = {
    list: async (...args) => (await loaded()).verbs.plans.list(...args),
    get: async (...args) => (await loaded()).verbs.plans.get(...args),
    approve: async (...args) => (await loaded()).verbs.plans.approve(...args),
    reject: async (...args) => (await loaded()).verbs.plans.reject(...args),
  };
  return {
    stage,
    verbs: { approvals, plans },
    onApprovedEnd: async (yes: HeldYes, outcome: Outcome) =>
      (await loaded()).onApprovedEnd(yes, outcome),
    start: () => void loaded().then(({ start }) => start()),
    stop: async () => void (loaded.made() && (await loaded()).stop()),
  };
}
