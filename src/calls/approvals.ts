import type { HeldVerbs } from "../access/approvals/approvals.ts";
import { once } from "../lib/async/once.ts";
import { type ApprovalPorts, createApprovals } from "../access/access.ts";

import type { ApproveOptions } from "./approve.ts";
import type { RecordOptions } from "./record.ts";

export type Approvals = {
  verbs: HeldVerbs;
  stage: Omit<ApproveOptions, "decide">;
  onApprovedEnd: NonNullable<RecordOptions["onApprovedEnd"]>;
  start(): void;
  stop(): Promise<void>;
};

/** Loaded when a call needs a yes, or when somebody asks: a call that needs none pays nothing for it. */
export function createApprovalsWhenNeeded(parts: ApprovalPorts): Approvals {
  const loaded = once(() => createApprovals(parts));
  const verbs = async () => (await loaded()).verbs;
  return {
    verbs: {
      approvals: async (caller) => (await verbs()).approvals(caller),
      approvalPage: async (asked, caller) => (await verbs()).approvalPage(asked, caller),
      approval: async (id, caller) => (await verbs()).approval(id, caller),
      answerApproval: async (id, answer, caller) => (await verbs()).answerApproval(id, answer, caller),
      plans: async (caller) => (await verbs()).plans(caller),
      plan: async (id, caller) => (await verbs()).plan(id, caller),
      approvePlan: async (id, choice, caller) => (await verbs()).approvePlan(id, choice, caller),
      rejectPlan: async (id, choice, caller) => (await verbs()).rejectPlan(id, choice, caller),
      remembered: async (caller) => (await verbs()).remembered(caller),
      forgetRemembered: async (id, caller) => (await verbs()).forgetRemembered(id, caller),
    },
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
