import { rounded } from "../../lib/text/wording.ts";
import type { EventOf } from "../events.ts";
import { originOf } from "./call.ts";
import type { CallRecord } from "./call-schema.ts";

type CallEvents = [
  { at: string; event: EventOf<"tool.call"> },
  { at: string; event: EventOf<"tool.result"> },
];

/** The start and the end of a call, as its record has them. */
export function eventsOf(record: CallRecord): CallEvents {
  const { id, at: startedAt, tool, principal, durationMs, kind } = record;
  const { user, key } = principal;
  const begun = {
    type: "tool.call",
    callId: id,
    user,
    ...(key !== undefined && { key }),
    tool,
  } as const;
  const endedAt = new Date(Date.parse(startedAt) + durationMs).toISOString();
  return [
    { at: startedAt, event: { ...begun, ...(kind && { kind }) } },
    { at: endedAt, event: resultEvent(record) },
  ];
}

export function resultEvent(record: CallRecord): EventOf<"tool.result"> {
  const { id, tool, status, durationMs, server, kind, error } = record;
  const attempts = record.attempts.map(({ provider, ok, durationMs: took }) => {
    return { provider, ok, durationMs: rounded(took) };
  });
  const ended = { success: error === null, status, durationMs, code: error?.code ?? null };
  return {
    type: "tool.result",
    callId: id,
    tool,
    ...ended,
    attempts,
    server,
    ...(kind && { kind }),
    ...originOf(record),
  };
}
