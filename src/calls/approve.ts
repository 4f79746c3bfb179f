import { type ApprovalPorts, type HeldVerbs, createApprovals as openApprovals } from "../access/access.ts";
import { once } from "../lib/async/once.ts";
import { sameJson } from "../lib/json/plain-data.ts";
import { lazyVerbs } from "../lib/lazy-verbs.ts";
import type { Approved, HeldYes, Injected, Requested, Verdict } from "../model/calls/call.ts";
import type { AskHere } from "../model/calls/held-call.ts";
import type { Relay } from "../model/calls/provider.ts";
import type { Tool } from "../model/catalogue/tool.ts";
import { PlaneError } from "../model/errors.ts";
import type { RecordOptions } from "./record.ts";
import { requireReadable } from "./validate.ts";

/** Who can be asked right now, and until when. */
export type Asking = {
  askHere?: AskHere | undefined;
  /** Passes on what the call says and asks while it runs. */
  relay?: Relay | undefined;
  signal?: AbortSignal | undefined;
  /** Aborted when not the caller but the plane goes: what waits goes on waiting. */
  stopping?: AbortSignal | undefined;
};

export type ApproveOptions = {
  decide(call: Injected): Verdict | Promise<Verdict>;
  /** Has the caller said yes before to calls like this? The reason, or null. */
  remembered(call: Injected, verdict: Verdict): Promise<string | null>;
  fingerprint(tool: Tool): Promise<string>;
  /** Stores the call and puts it to a person. Resolves with the call that goes on, or throws what ends this one. */
  hold(call: Injected, verdict: Verdict, asking: Asking): Promise<Requested>;
};

/** The call with its yes, or the call to start again with once a person has given it. */
export function approve(
  call: Injected,
  options: ApproveOptions,
  asking: Asking = {},
): Approved | Promise<Approved | Requested> {
  const verdict = call.judged?.verdict ?? options.decide(call);
  // Most calls need no approval.
  if (!(verdict instanceof Promise) && verdict.verdict === "allow" && !call.approved)
    return { ...call, approval: verdict };
  return ask(call, verdict, options, asking);
}

async function ask(
  call: Injected,
  decided: Verdict | Promise<Verdict>,
  { remembered, fingerprint, hold }: ApproveOptions,
  asking: Asking,
): Promise<Approved | Requested> {
  const { judged } = call;
  const verdict = await decided;
  const { origin, reason } = verdict;
  if (verdict.verdict === "deny") {
    throw new PlaneError("APPROVAL_DENIED", `'${call.tool.name}' was not run: ${reason}.`, {
      data: { tool: call.tool.name, origin },
    });
  }
  // Where hooks write arguments, a yes is looked at even if none is needed any more: it was given to what was shown.
  const isFree = verdict.verdict === "allow" && !(judged && call.approved);
  if (isFree || call.options.dryRun) return { ...call, approval: verdict };
  if (call.approved) return { ...call, approval: await confirm(call, call.approved, fingerprint) };
  if (verdict.verdict === "ask") {
    // Consent given beforehand covers the arguments as written, not what a hook made of them.
    if (call.options.consent && (judged?.before ?? null) === null)
      return { ...call, approval: { verdict: "allow", origin: "user", reason } };
    const before = await remembered(call, verdict);
    if (before !== null) return { ...call, approval: { verdict: "allow", origin: "user_auto", reason: before } };
  }
  requireReadable(call, "a person would be asked about that one");
  const answered = await hold(call, verdict, asking);
  return call.hooks ? { ...answered, hooks: call.hooks } : answered;
}

/** A yes is good for what was shown and for nothing else. */
async function confirm(call: Injected, yes: HeldYes, fingerprint: ApproveOptions["fingerprint"]): Promise<Verdict> {
  const changed =
    (await fingerprint(call.tool)) !== yes.fingerprint
      ? "the tool"
      : !isWhatWasShown(call, yes)
        ? "what becomes of the arguments"
        : null;
  if (changed !== null) {
    throw new PlaneError(
      "APPROVAL_DENIED",
      `'${call.tool.name}' was not run: ${changed} has changed since '${yes.id}' was approved. Make the call again.`,
      { data: { tool: call.tool.name, origin: "approval", approvalId: yes.id, isVoid: true } },
    );
  }
  return { verdict: "allow", origin: "approval", reason: `${yes.by ?? "a person"} approved '${yes.id}'` };
}

/** Arguments that the approver edited are not shown again, so a hook may not change them. */
function isWhatWasShown({ input, judged }: Injected, yes: HeldYes): boolean {
  if (yes.arguments === null) return (judged?.before ?? null) === null;
  return sameJson(yes.arguments, input.arguments);
}

export type Approvals = {
  verbs: HeldVerbs;
  stage: Omit<ApproveOptions, "decide">;
  onApprovedEnd: NonNullable<RecordOptions["onApprovedEnd"]>;
  start(): void;
  stop(): Promise<void>;
};

const verbNames = [
  "approvals",
  "approvalPage",
  "approval",
  "answerApproval",
  "plans",
  "plan",
  "approvePlan",
  "rejectPlan",
  "remembered",
  "forgetRemembered",
] as const satisfies readonly (keyof HeldVerbs)[];

/** Loaded when a call needs approval or a verb is used. */
export function createApprovals(parts: ApprovalPorts): Approvals {
  const loaded = once(() => openApprovals(parts));
  return {
    verbs: lazyVerbs(async () => (await loaded()).verbs, verbNames),
    stage: {
      remembered: async (call, verdict) => (await loaded()).remembered(call, verdict),
      fingerprint: async (tool) => (await loaded()).fingerprint(tool),
      hold: async (call, verdict, asking) => (await loaded()).hold(call, verdict, asking),
    },
    onApprovedEnd: async (yes, outcome) => (await loaded()).onApprovedEnd(yes, outcome),
    start: () => void loaded().then(({ start }) => start()),
    stop: async () => void (loaded.made() && (await loaded()).stop()),
  };
}
