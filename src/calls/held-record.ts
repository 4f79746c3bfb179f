import { type ApprovalPorts, endErrorOf } from "../access/access.ts";
import { nowText } from "../lib/ids-and-time.ts";
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
export function createEndRecorder(recorder: EndRecorder): ApprovalPorts["recordEnd"] {
  return async (held) => {
    const known = await (await recorder.store()).call(held.callId);
    if (known !== null && known.status !== "waiting") return;
    await recorder.recordEnd(endRecordOf(held));
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
  const held = typeof approvalId === "string" ? await heldCall(approvalId) : null;
  const endedAt = held === null ? null : endOf(held);
  if (held === null || endedAt === null || Date.now() - Date.parse(endedAt) < settledMs) return;
  const end = endRecordOf({ ...held, callId: record.id });
  const ended = { ...end, at: endedAt, waitedSince: record.at };
  if (held.outcome === null) return recorder.recordEnd(ended);
  const { callId, ok } = held.outcome;
  const ran = callId === record.id ? null : await store.call(callId);
  const status = ran?.status ?? (ok ? "succeeded" : "failed");
  const collected = callId === record.id ? {} : { collected: { call: callId, at: endedAt } };
  await recorder.recordEnd({ ...ended, status, error: ran?.error ?? null, ...collected });
}

/** Null while it waits or runs. */
function endOf({ status, outcome, answer, delivery, expiresAt, at }: KeptHeldCall): string | null {
  if (status === "pending" || status === "approved" || status === "running") return null;
  return outcome?.at ?? delivery?.endedAt ?? answer?.at ?? expiresAt ?? at;
}
