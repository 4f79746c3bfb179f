import { spreadMs } from "@toolplane/core/lib/async/pause";
import type { Sent } from "@toolplane/core/model/calls/call-schema";
import { errorTable, PlaneError } from "@toolplane/core/model/errors";
import type { ErrorReport } from "@toolplane/core/model/errors-schema";
import type { KeptDeadLetter } from "@toolplane/core/model/work/dead-letter";
import type {
  DeadLetter,
  DeadLetterChange,
  DeadLetterHold,
} from "@toolplane/core/model/work/dead-letter-schema";

/** After the first failed try, the second, and so on; the last one goes on. */
const delaysMs = [60_000, 300_000, 900_000, 1_800_000, 3_600_000] as const;
const maxDelayMs = 3_600_000;
const jitter = 0.1;
const shortestDelayMs = 1_000;

export function deadLetterDelayMs(attempts: number, random: () => number = Math.random): number {
  const baseDelayMs = delaysMs[Math.max(1, attempts) - 1] ?? maxDelayMs;
  return spreadMs(baseDelayMs, jitter, random);
}

/** After this time without a renewal a retrier counts as dead. */
export const retryLeaseMs = 60_000;

const maxHistory = 50;

/** A try that failed: what its transport saw (`sent`), and whether another try is harmless (`repeatable`). */
export type Failure = { callId: string; error: ErrorReport; sent: Sent; repeatable: boolean };

type Hold = DeadLetterHold | null;
export type SettledBy = { by: string | null; note: string | null };

/** All changes are pure: the entry after them. */
export function claim(letter: KeptDeadLetter, callId: string, now: number): KeptDeadLetter {
  const { status, nextRetryAt } = letter;
  if (status !== "pending" && status !== "abandoned") throw conflict(letter, "retried");
  if (letter.hold === "no_arguments") {
    const { id, tool } = letter;
    const message = `Dead letter '${id}' cannot be retried: its arguments could not be kept. Call '${tool}' again yourself, then resolve it.`;
    throw new PlaneError("USAGE", message, { data: { deadLetter: id } });
  }
  const lease = { until: isoAfter(now, retryLeaseMs), was: { status, nextRetryAt } };
  return change({ ...letter, nextRetryAt: null, lease }, "retrying", now, { callId });
}

export function renew(letter: KeptDeadLetter, now: number): KeptDeadLetter {
  if (letter.lease === null) return letter;
  return { ...letter, lease: { ...letter.lease, until: isoAfter(now, retryLeaseMs) } };
}

export function succeed(letter: KeptDeadLetter, callId: string, now: number): KeptDeadLetter {
  const resolvedLetter = {
    ...letter,
    lease: null,
    hold: null,
    nextRetryAt: null,
    resolvedCallId: callId,
  };
  return change(resolvedLetter, "resolved", now, { callId });
}

export function fail(letter: KeptDeadLetter, failure: Failure, now: number, random?: () => number) {
  const { error, callId, repeatable, sent } = failure;
  const attempts = letter.attempts + 1;
  const hold = holdAfter(failure, letter);
  const failedLetter = {
    ...letter,
    error,
    category: error.category,
    attempts,
    repeatable,
    sent,
    hold,
  };
  return scheduleRetry(failedLetter, now, { code: error.code, callId }, notBefore(error), random);
}

/** The outcome is unknown, so a call that is not repeatable is held. */
export function expire(letter: KeptDeadLetter, now: number, random?: () => number): KeptDeadLetter {
  const { hold, repeatable, attempts } = letter;
  const expiredLetter = {
    ...letter,
    attempts: attempts + 1,
    sent: "not_known",
    hold: repeatable ? hold : "may_have_run",
  } as const;
  return scheduleRetry(expiredLetter, now, { code: "OUTCOME_UNKNOWN" }, 0, random);
}

/** A cancelled attempt does not count: the state before it holds again, unless it may have run. */
export function release(letter: KeptDeadLetter, callId: string, mayHaveRun: boolean, now: number) {
  const { status, nextRetryAt } = wasBefore(letter);
  const isHeld = mayHaveRun && !letter.repeatable;
  const heldFields = { hold: "may_have_run", sent: "not_known", nextRetryAt: null } as const;
  const releasedFields = isHeld ? heldFields : { nextRetryAt };
  return change({ ...letter, lease: null, ...releasedFields }, status, now, {
    code: "CANCELLED",
    callId,
  });
}

export function resolveLetter(
  letter: KeptDeadLetter,
  decision: SettledBy,
  now: number,
): KeptDeadLetter {
  if (letter.status !== "pending" && letter.status !== "abandoned")
    throw conflict(letter, "resolved");
  return change({ ...letter, nextRetryAt: null }, "resolved", now, decision);
}

export function abandon(letter: KeptDeadLetter, decision: SettledBy, now: number): KeptDeadLetter {
  if (letter.status !== "pending") throw conflict(letter, "abandoned");
  return change({ ...letter, nextRetryAt: null }, "abandoned", now, decision);
}

/** A letter whose obstacle has gone is tried at once. */
export function dueNow(letter: KeptDeadLetter, now: number): KeptDeadLetter {
  return { ...letter, nextRetryAt: new Date(now).toISOString() };
}

export function isLeaseLost({ status, lease }: KeptDeadLetter, now: number): boolean {
  return status === "retrying" && (lease === null || Date.parse(lease.until) <= now);
}

export function conflict({ id, status }: KeptDeadLetter, verb: string): PlaneError {
  const why =
    status === "retrying"
      ? "it is being retried right now. Wait until that is over"
      : `it is ${status} already. Look at it to see how that came about`;
  return new PlaneError("CONFLICT", `Dead letter '${id}' cannot be ${verb}: ${why}.`, {
    data: { deadLetter: id, status },
  });
}

/** Why the plane does not try again by itself; null where it does. */
export function holdAfter(
  { error, sent, repeatable }: Failure,
  { hold: previousHold, accepted }: Pick<KeptDeadLetter, "hold" | "accepted">,
): Hold {
  // A call that may have run does not become harmless by a later attempt that was not sent.
  if (previousHold === "may_have_run" || previousHold === "no_arguments") return previousHold;
  const mayHaveRun = error.code === "OUTCOME_UNKNOWN" || (sent !== "not_sent" && !repeatable);
  if (mayHaveRun) return "may_have_run";
  if (error.data.permanent === true || !errorTable[error.code].retryable) return "permanent";
  return repeatable || accepted ? null : "refused";
}

function scheduleRetry(
  letter: KeptDeadLetter,
  now: number,
  historyFacts: Partial<DeadLetterChange>,
  earliest: number,
  random?: () => number,
): KeptDeadLetter {
  const { attempts, maxAttempts, hold } = letter;
  // An abandoned entry does not come back by itself.
  const isGivenUp = attempts >= maxAttempts || wasBefore(letter).status === "abandoned";
  const waits = !isGivenUp && hold === null;
  const due = dueAfter(letter, now, earliest, random);
  const nextRetryAt = waits ? new Date(due).toISOString() : null;
  return change(
    { ...letter, lease: null, nextRetryAt },
    isGivenUp ? "abandoned" : "pending",
    now,
    historyFacts,
  );
}

/** What was accepted runs as soon as it can: its server's own backoff is the delay. */
function dueAfter(
  { accepted, attempts }: KeptDeadLetter,
  now: number,
  earliest: number,
  random?: () => number,
): number {
  if (accepted && earliest > 0) return Math.max(now + shortestDelayMs, earliest);
  return Math.max(now + deadLetterDelayMs(attempts, random), earliest);
}

/** The server's own retry time. */
export function notBefore({ data }: ErrorReport): number {
  if (typeof data.retryAt === "string") return Date.parse(data.retryAt) || 0;
  return 0;
}

function wasBefore({ lease, nextRetryAt }: KeptDeadLetter) {
  return lease?.was ?? { status: "pending" as const, nextRetryAt };
}

function change(
  letter: KeptDeadLetter,
  status: DeadLetter["status"],
  now: number,
  historyFacts: Partial<DeadLetterChange>,
): KeptDeadLetter {
  const timestamp = new Date(now).toISOString();
  const entry: DeadLetterChange = {
    at: timestamp,
    status,
    code: null,
    callId: null,
    by: null,
    note: null,
    ...historyFacts,
  };
  return {
    ...letter,
    status,
    updatedAt: timestamp,
    history: [...letter.history, entry].slice(-maxHistory),
  };
}

function isoAfter(now: number, ms: number): string {
  return new Date(now + ms).toISOString();
}
