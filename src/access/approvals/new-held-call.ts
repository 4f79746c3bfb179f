import type { Injected, Verdict } from "../../model/call.ts";
import type { KeptHeldCall } from "../../model/held-call.ts";
import { lease } from "./states.ts";

type Asked = { verdict: Verdict; fingerprint: string; timeoutMs: number; allowEdit: boolean };

/** A call as it is shown to whoever decides. `waiting` is the process that has its caller. */
export function newHeldCall(
  call: Injected,
  { verdict, fingerprint, timeoutMs, allowEdit }: Asked,
  waiting: string | null,
): KeptHeldCall {
  const now = Date.now();
  const isChange = verdict.verdict === "queue";
  return {
    id: newId(),
    plan: null,
    callId: call.id,
    at: new Date(now).toISOString(),
    expiresAt: isChange ? null : new Date(now + timeoutMs).toISOString(),
    tool: call.tool.name,
    toolId: call.tool.id,
    fingerprint,
    arguments: call.input.arguments,
    ...(call.judged?.before ? { before: call.judged.before } : {}),
    injected: Object.keys(call.injected.values),
    principal: call.principal,
    face: call.face,
    options: call.options,
    verdict,
    allowEdit,
    status: "pending",
    answer: null,
    outcome: null,
    claim: waiting === null ? null : lease(waiting, now),
    revision: 0,
  };
}

export function newId(): string {
  return process.getBuiltinModule("node:crypto").randomUUID();
}
