import { type ApprovalPorts, endErrorOf } from "../access/access.ts";
import { nowText } from "../lib/ids-and-time.ts";
import { withoutUndefined } from "../lib/json/plain-data.ts";
import { hash } from "../lib/json/stable-json.ts";
import { redactDeep } from "../lib/text/redact.ts";
import type { CallRecord } from "../model/calls/call-schema.ts";
import type { KeptHeldCall } from "../model/calls/held-call.ts";
import { reportError } from "../model/errors.ts";
import type { Store } from "../model/store.ts";
import type { Recorder } from "../store/store.ts";
import { callStatusOf } from "./record.ts";

/** What ended just now may be on its way to the store. */
const settledMs = 60_000;
const pageSize = 200;
/** After this time a plane that does it counts as killed. */
const closingMs = 300_000;
const closing = "closing-records";

type EndRecorder = Pick<Recorder, "store" | "recordEnd">;

/** The record of a call that waited for a person and has not run: how it ended. */
function endRecordOf(heldCall: KeptHeldCall): CallRecord {
  const {
    callId,
    calledAt = heldCall.at,
    tool,
    toolId,
    principal,
    face,
    options,
    verdict,
  } = heldCall;
  const error = endErrorOf(heldCall);
  return {
    id: callId,
    at: nowText(),
    waitedSince: calledAt,
    tool,
    server: toolId.server,
    ...withoutUndefined({ kind: toolId.kind }),
    principal,
    face,
    status: callStatusOf(error, {}),
    durationMs: 0,
    provider: null,
    attempts: [],
    argumentNames: redactDeep(Object.keys(heldCall.arguments)),
    argumentsHash: hash(heldCall.arguments),
    injected: heldCall.injected,
    approval: redactDeep({ ...verdict, approvalId: heldCall.id }),
    resultHash: null,
    error: redactDeep(reportError(error)),
    ...withoutUndefined({ run: options.run, conversation: options.conversation }),
    stages: [],
  };
}

/** A plane that ended between may have left it already. */
export function createEndRecorder(recorder: EndRecorder): ApprovalPorts["recordEnd"] {
  return async (heldCall) => {
    const record = await (await recorder.store()).call(heldCall.callId);
    if (record !== null && record.status !== "waiting") return;
    await recorder.recordEnd(endRecordOf(heldCall));
  };
}

/** Until version 0.4, and where a plane was killed, a record goes on saying that a call waits which is over. */
export function createRecordCloser(recorder: EndRecorder): ApprovalPorts["closeRecords"] {
  return async (heldCall) => {
    const store = await recorder.store();
    // Two planes that start at once do not close the same record.
    const isFirst = await store.changeShared(closing, closingMs, (value) => ({
      value: { since: nowText() },
      answer: value === null,
    }));
    if (!isFirst) return;
    try {
      await closeAll(store, recorder, heldCall);
    } finally {
      await store.changeShared(closing, closingMs, () => ({ value: null, answer: null }));
    }
  };
}

type FindHeld = (id: string) => Promise<KeptHeldCall | null>;

async function closeAll(store: Store, recorder: EndRecorder, heldCall: FindHeld): Promise<void> {
  for (let before: string | undefined; ; ) {
    const page = { status: "waiting", limit: pageSize } as const;
    const waiting = await store.calls(before === undefined ? page : { ...page, before });
    for (const record of waiting) await closeRecord(record, heldCall, recorder, store);
    before = waiting.at(-1)?.id;
    if (waiting.length < pageSize) return;
  }
}

async function closeRecord(
  record: CallRecord,
  heldCall: FindHeld,
  recorder: EndRecorder,
  store: Store,
): Promise<void> {
  const { approvalId } = record.error?.data ?? {};
  if (typeof approvalId !== "string") return;
  const call = await heldCall(approvalId);
  const endedAt = call && endOf(call);
  if (!call || !endedAt || Date.now() - Date.parse(endedAt) < settledMs) return;
  const end = endRecordOf({ ...call, callId: record.id });
  const ended = { ...end, at: endedAt, waitedSince: record.at };
  if (call.outcome === null) return recorder.recordEnd(ended);
  const { callId, ok } = call.outcome;
  const status = ok ? "succeeded" : "failed";
  if (callId === record.id) return recorder.recordEnd({ ...ended, status, error: null });
  const ran = await store.call(callId);
  await recorder.recordEnd({
    ...ended,
    status: ran?.status ?? status,
    error: ran?.error ?? null,
    collected: { call: callId, at: endedAt },
  });
}

/** Null while it waits or runs. */
function endOf({ status, outcome, answer, delivery, expiresAt, at }: KeptHeldCall): string | null {
  if (status === "pending" || status === "approved" || status === "running") return null;
  return outcome?.at ?? delivery?.endedAt ?? answer?.at ?? expiresAt ?? at;
}
