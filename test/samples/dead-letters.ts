import { type ErrorCode, PlaneError, reportError } from "../../src/model/errors.ts";
import { principalOf } from "../../src/model/principal.ts";
import type { KeptDeadLetter } from "../../src/model/work/dead-letter.ts";

export const startedAt = Date.parse("2026-03-01T12:00:00.000Z");

export function sampleError(
  code: ErrorCode = "SERVER_UNAVAILABLE",
  data: Record<string, unknown> = {},
) {
  return reportError(
    new PlaneError(code, `because of ${code}`, { data: { server: "notes", ...data } }),
  );
}

/** An accepted call that could not be sent and comes up again in a minute. */
export function sampleLetter(id: string, changes: Partial<KeptDeadLetter> = {}): KeptDeadLetter {
  const at = new Date(startedAt).toISOString();
  const error = sampleError();
  return {
    id,
    callId: `call-of-${id}`,
    tool: "notes.write",
    server: "notes",
    principal: principalOf({ user: "ada" }),
    face: "mcp",
    arguments: { text: "hi", nested: { list: [1, "zwei", null] } },
    error,
    category: error.category,
    attempts: 1,
    maxAttempts: 3,
    status: "pending",
    nextRetryAt: new Date(startedAt + 60_000).toISOString(),
    hold: null,
    conversation: null,
    resolvedCallId: null,
    createdAt: at,
    updatedAt: at,
    history: [
      { at, status: "pending", code: error.code, callId: `call-of-${id}`, by: null, note: null },
    ],
    revision: 1,
    asked: { server: "notes", tool: "write" },
    options: {},
    sent: "not_sent",
    accepted: true,
    repeatable: false,
    lease: null,
    ...changes,
  };
}
