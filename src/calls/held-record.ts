import type { ApprovalPorts } from "../access/access.ts";
import { endErrorOf } from "../access/access.ts";
import { nowText } from "../lib/ids-and-time.ts";
import { hash } from "../lib/json/stable-json.ts";
import { redactDeep } from "../lib/text/redact.ts";
import type { CallRecord } from "../model/calls/call-schema.ts";
import type { KeptHeldCall } from "../model/calls/held-call.ts";
import { reportError } from "../model/errors.ts";
import type { Recorder } from "../store/store.ts";
import { callStatusOf } from "./record.ts";

/** The record of a call that waited for a person and has not run: how it ended. */
function endRecordOf(held: KeptHeldCall): CallRecord {
  const { callId, calledAt = held.at, tool, toolId, principal, face, options, verdict } = held;
  const error = endErrorOf(held);
  return {
    id: callId,
    at: nowText(),
    waitedSince: calledAt,
    tool,
    server: toolId.server,
    ...(toolId.kind === undefined ? {} : { kind: toolId.kind }),
    principal,
    face,
    status: callStatusOf(error, {}),
    durationMs: 0,
    provider: null,
    attempts: [],
    argumentNames: redactDeep(Object.keys(held.arguments)),
    argumentsHash: hash(held.arguments),
    injected: held.injected,
    approval: redactDeep({ ...verdict, approvalId: held.id }),
    resultHash: null,
    error: redactDeep(reportError(error)),
    ...(options.run === undefined ? {} : { run: options.run }),
    ...(options.conversation === undefined ? {} : { conversation: options.conversation }),
    stages: [],
  };
}

/** A plane that ended between may have left it already. */
export function createEndRecorder(
  recorder: Pick<Recorder, "store" | "recordEnd">,
): ApprovalPorts["recordEnd"] {
  return async (held) => {
    const known = await (await recorder.store()).call(held.callId);
    if (known !== null && known.status !== "waiting") return;
    await recorder.recordEnd(endRecordOf(held));
  };
}
