import { findChanged } from "@toolplane/core/lib/json/exact-numbers";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { shorten } from "@toolplane/core/lib/text/cut-text";
import { plainText } from "@toolplane/core/lib/text/plain-text";
import { createHider, redactDeep } from "@toolplane/core/lib/text/redact";
import type { CallRecord } from "@toolplane/core/model/calls/call-schema";
import { sentOf } from "@toolplane/core/model/calls/sent";
import { isRepeatable } from "@toolplane/core/model/catalogue/tool";
import { PlaneError, reportError } from "@toolplane/core/model/errors";
import type { ErrorReport } from "@toolplane/core/model/errors-schema";
import { type Json, type JsonObject, textOrJson } from "@toolplane/core/model/json";
import { mayDo } from "@toolplane/core/model/principal";
import type { FailedCall, KeptDeadLetter } from "@toolplane/core/model/work/dead-letter";
import { deadLetterDelayMs, type Failure, holdAfter, notBefore } from "./states.ts";

export const maxArgumentBytes = 256 * 1024;
const maxAttempts = 3;
/** Characters of what a provider said. */
const maxMessageLength = 500;
/** Shorter ones would hide ordinary words. */
const shortestHidden = 4;

export function failureOf(
  call: FailedCall,
  record: Pick<CallRecord, "attempts">,
  error: ErrorReport,
): Failure {
  return {
    callId: call.id,
    error: hideInjected(error, call.injected?.values ?? {}),
    sent: sentOf(error.data, record.attempts),
    repeatable:
      error.data.harmless === true || (call.tool !== undefined && isRepeatable(call.tool)),
  };
}

/** The recorded error with the provider's own words, short and redacted: a person who decides needs them. */
export function withWords(recorded: ErrorReport, providerReport: ErrorReport | null): ErrorReport {
  if (providerReport === null || providerReport.message === recorded.message) return recorded;
  const text = shorten(
    plainText(redactDeep(providerReport.cause ?? providerReport.message)).trim(),
    maxMessageLength,
  );
  const speaker = recorded.server === null ? "The provider" : `Server '${recorded.server}'`;
  return {
    ...recorded,
    message: `${recorded.message} ${speaker} said: “${text}”`,
    data: { ...recorded.data, said: { by: recorded.server, text } },
  };
}

export function toDeadLetter(
  id: string,
  call: FailedCall,
  record: Pick<CallRecord, "tool" | "server">,
  failure: Failure,
  now: number,
  random?: () => number,
): KeptDeadLetter {
  const timestamp = new Date(now).toISOString();
  const { error, sent, repeatable } = failure;
  const { id: callId, principal, face } = call;
  // Kept numbers are read again, and inexact ones would be retried as others.
  const args = findChanged(call.input?.exact) ? undefined : keepArguments(call.asked.arguments);
  const hold = args === undefined ? "no_arguments" : holdAfter(failure, { hold: null });
  const due = Math.max(now + deadLetterDelayMs(1, random), notBefore(error));
  const { conversation = null, dryRun: _, onUnavailable: __, ...options } = call.options;
  return {
    id,
    callId,
    principal,
    face,
    error,
    hold,
    conversation,
    options,
    sent,
    repeatable,
    maxAttempts,
    attempts: 1,
    revision: 1,
    lease: null,
    resolvedCallId: null,
    createdAt: timestamp,
    updatedAt: timestamp,
    tool: record.tool,
    server: record.server ?? error.server,
    asked: call.tool?.id ?? call.asked.tool,
    arguments: args ?? null,
    category: error.category,
    status: "pending",
    nextRetryAt: hold === null ? new Date(due).toISOString() : null,
    history: [{ at: timestamp, status: "pending", code: error.code, callId, by: null, note: null }],
  };
}

/** A day of tries, one a minute. */
const maxAcceptedAttempts = 1_440;

/** A call that its caller chose to have run once its server is available. Its id is that of the call: the receipt. */
export function toAccepted(call: FailedCall, error: PlaneError, now: number): KeptDeadLetter {
  const report = redactDeep(reportError(error));
  const tool = call.tool?.name ?? report.tool ?? textOf(call.asked.tool);
  const record = { tool, server: call.tool?.id.server ?? report.server };
  const failure = { ...failureOf(call, { attempts: [] }, report), sent: "not_sent" as const };
  refuseUnfollowed(call);
  const letter = toDeadLetter(call.id, call, record, failure, now);
  if (letter.hold === "no_arguments")
    throw new PlaneError("USAGE", "Its arguments are too large to keep.");
  const due = notBefore(report) || now + deadLetterDelayMs(1);
  const nextRetryAt = new Date(due).toISOString();
  return { ...letter, accepted: true, hold: null, maxAttempts: maxAcceptedAttempts, nextRetryAt };
}

const textOf = (tool: FailedCall["asked"]["tool"]) => (typeof tool === "string" ? tool : tool.tool);

function refuseUnfollowed({ principal, files }: FailedCall): void {
  if (principal.user === null && !mayDo(principal, "admin"))
    throw new PlaneError("USAGE", "An anonymous caller could not follow it. Sign in first.");
  if (files !== undefined && Object.keys(files).length > 0)
    throw new PlaneError("USAGE", "The addresses of its files are never kept.");
}

/** The receipt, in words. */
export function queuedError({ id, tool, server, error }: KeptDeadLetter): PlaneError {
  const followHint = `Follow it with 'toolplane calls show ${id}'. 'toolplane dead-letters delete ${id}' cancels it.`;
  const condition = server === null ? "it can be sent" : `server '${server}' is available`;
  const message = `'${tool}' could not be sent (${error.code}) and was accepted: it runs once, as soon as ${condition}. Do not call it again. ${followHint}`;
  const personHints = followHint.split(/(?<=\.) /);
  const place = withoutUndefined({ server: server ?? undefined });
  return new PlaneError("CALL_QUEUED", message, {
    data: { tool, ...place, sent: false, queuedId: id, personHints },
  });
}

/** Undefined when they are too large, or are no JSON. */
function keepArguments(callArguments: unknown): Json | undefined {
  try {
    const text = JSON.stringify(callArguments ?? {});
    return Buffer.byteLength(text) > maxArgumentBytes ? undefined : (JSON.parse(text) as Json);
  } catch {
    return undefined;
  }
}

/** A provider may repeat injected arguments; they are not kept. */
function hideInjected(error: ErrorReport, values: JsonObject): ErrorReport {
  const texts = Object.values(values).map(textOrJson);
  if (texts.length === 0) return error;
  const hide = createHider(texts, shortestHidden);
  const hideAll = (value: unknown): unknown => {
    if (typeof value === "string") return hide(value);
    if (Array.isArray(value)) return value.map(hideAll);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hideAll(inner)]));
  };
  return {
    ...error,
    message: hide(error.message),
    cause: error.cause === null ? null : hide(error.cause),
    data: hideAll(error.data) as ErrorReport["data"],
  };
}
