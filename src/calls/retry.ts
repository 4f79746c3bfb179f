import { setTimeout as sleep } from "node:timers/promises";
import { backoffMs } from "../lib/async/pause.ts";
import type { TimeLimiter } from "../lib/async/time-limit.ts";
import type { Routed } from "../model/calls/call.ts";
import type { Attempt } from "../model/calls/call-schema.ts";
import { mayRunAgain } from "../model/calls/sent.ts";
import { errorTable, PlaneError } from "../model/errors.ts";
import { defaultRetry, type RetrySettings } from "../model/servers/server.ts";

/** Doubled with each failure, and spread so that many calls do not return at once. */
const spread = { factor: 2, jitter: 0.25 } as const;
/** The longest wait for a server that refuses to be started. */
const maxReadyMs = 10_000;
/** The longest `Retry-After` that is waited for. */
const maxWaitMs = 60_000;
/** Sessions that a call may find ended before it was sent: others may have used them up. */
const maxEndedSessions = 10;

export type Retrying = {
  limiter: TimeLimiter;
  onRetry(call: Routed, retry: { attempt: number; delayMs: number; reason: string }): void;
  /** So long the server refuses to be started. */
  readyInMs?(): number;
  settings: RetrySettings;
  against?(error: PlaneError): string | null | Promise<string | null>;
  endedCall(call: Routed, limiter: TimeLimiter, isSent: boolean): PlaneError;
};

export async function retryOrGiveUp(
  call: Routed,
  error: PlaneError,
  attempts: Attempt[],
  { limiter, onRetry, readyInMs, settings, against, endedCall }: Retrying,
): Promise<void> {
  const safe = mayRunAgain(call.tool, error.data);
  const delayMs = Math.max(
    delayFor(error, attempts.length, settings),
    Math.min(readyInMs?.() ?? 0, maxReadyMs),
  );
  const worthwhile =
    errorTable[error.code].retryable &&
    !limiter.isCancelled &&
    !isHopeless(error, delayMs, limiter);
  const maxAttempts =
    isEndedSession(error) && settings.attempts > 1 ? maxEndedSessions : settings.attempts;
  // What asks for another try gets it as long as the call's own limit allows.
  if (!safe || !worthwhile || (attempts.length >= maxAttempts && !isAnnounced(error))) {
    // In either case: what may have run is reported as unknown.
    const mayHaveRun = !safe && errorTable[error.code].retryable && !limiter.isCancelled;
    throw withAttempts(call, mayHaveRun ? unknownOutcome(call, error) : error, attempts);
  }
  const reason = (await against?.(error)) ?? null;
  if (reason !== null) throw withAttempts(call, notAgain(error, reason), attempts);
  onRetry(call, { attempt: attempts.length, delayMs, reason: error.message });
  try {
    await sleep(delayMs, undefined, { signal: limiter.signal });
  } catch {
    const isSent = attempts.some(({ sent }) => sent !== false);
    throw withAttempts(call, endedCall(call, limiter, isSent), attempts);
  }
}

/** The provider itself named the wait (`Retry-After`). */
export function isAnnounced({ data }: PlaneError): boolean {
  return data.announced === true;
}

/** Opening a session again is not a second request. */
export function isEndedSession({ data: { retryInMs, announced } }: PlaneError): boolean {
  return retryInMs === 0 && announced !== true;
}

/** A first announced wait is kept to; after further ones the backoff grows too, so that "now" does not become a flood. */
function delayFor(error: PlaneError, failures: number, settings: RetrySettings): number {
  const { retryInMs } = error.data;
  if (typeof retryInMs !== "number") return retryDelay(failures, settings);
  if (!isAnnounced(error) || failures <= 1) return retryInMs;
  return Math.max(retryInMs, retryDelay(failures - 1, settings));
}

/** It named a time, or said never: asking sooner cannot help. */
function isHopeless(
  { data: { retryAt, retryInMs } }: PlaneError,
  delayMs: number,
  limiter: TimeLimiter,
): boolean {
  const waitMs = Math.min(maxWaitMs, limiter.leftMs());
  return retryAt !== undefined || (typeof retryInMs === "number" && delayMs > waitMs);
}

export function retryDelay(
  failures: number,
  { delayMs, maxDelayMs }: RetrySettings = defaultRetry,
  random: () => number = Math.random,
): number {
  return backoffMs({ firstMs: delayMs, maxMs: maxDelayMs, ...spread }, failures, random);
}

function notAgain({ code, message, data, cause }: PlaneError, notRetried: string): PlaneError {
  return new PlaneError(code, `${message} It is not tried again. ${notRetried}`, {
    data: { ...data, notRetried },
    cause,
  });
}

export function unknownOutcome(call: Routed, error: PlaneError): PlaneError {
  const text = `${error.message} The request had been sent, so '${call.tool.name}' may have run; check before you call it again.`;
  return new PlaneError("OUTCOME_UNKNOWN", text, { data: error.data, cause: error.cause });
}

export function withAttempts(
  call: Routed,
  { code, message, data, cause }: PlaneError,
  attempts: Attempt[],
): PlaneError {
  const details = { tool: call.tool.name, ...data, attempts: attempts.length, history: attempts };
  return new PlaneError(code, message, { data: details, cause });
}
