import type { Approval } from "../model/approval.ts";
import type { Injected, Verdict } from "../model/call.ts";
import type { PlaneEvent } from "../model/events.ts";

export type ApprovalsOptions = {
  store(approval: Approval): Promise<void>;
  emit(event: PlaneEvent): void;
};

/** Stores the question first and announces it afterwards, so that the fastest answer finds it. */
export async function askForApproval(
  call: Injected,
  verdict: Verdict,
  options: ApprovalsOptions,
): Promise<string> {
  const id = process.getBuiltinModule("node:crypto").randomUUID();
  await options.store({
    id,
    callId: call.id,
    at: new Date().toISOString(),
    tool: call.tool.name,
    arguments: call.input.arguments,
    principal: call.principal,
    face: call.face,
    reason: verdict.reason,
    status: "pending",
    answer: null,
  });
  options.emit({ type: "approval.requested", approvalId: id, callId: call.id, tool: call.tool.name });
  return id;
}
