import type { CallOptions, Executed, Requested } from "../calls/call.ts";
import type { CallRecord, Sent } from "../calls/call-schema.ts";
import type { ToolId } from "../catalogue/tool.ts";
import type { ErrorCode } from "../errors.ts";
import type { DeadLetter } from "./dead-letter-schema.ts";

export const deadLetterStatuses = ["pending", "retrying", "resolved", "abandoned"] as const;
/** The state of a dead letter. */
export type DeadLetterStatus = (typeof deadLetterStatuses)[number];

/** A retry under way; an expired lease means that its worker is gone. */
type DeadLetterLease = {
  until: string;
  was: Pick<DeadLetter, "nextRetryAt"> & { status: "pending" | "abandoned" };
};

/** With what only the plane needs. */
export type KeptDeadLetter = Omit<DeadLetter, "waitsFor" | "sent" | "accepted"> & {
  /** Those of version 0.3 and earlier have none. */
  sent?: Sent;
  accepted?: true;
  /** Rises with every change: only the newest may be written. */
  revision: number;
  asked: string | ToolId;
  options: CallOptions;
  /** Could the tool run twice without harm? */
  repeatable: boolean;
  lease: DeadLetterLease | null;
  /** The configuration that the call was made in; none where planes share what is stored. */
  files?: readonly string[];
};

/** A filter for dead letters. */
export type DeadLetterQuery = {
  status?: DeadLetterStatus;
  tool?: string;
  server?: string;
  /** The beginning of an id. */
  id?: string;
  limit?: number;
  cursor?: string;
};

/** `total` counts all matches; `byStatus` counts them in any status. */
export type DeadLetterPage<Entry = DeadLetter> = {
  total: number;
  deadLetters: Entry[];
  nextCursor: string | null;
  byStatus: Record<DeadLetterStatus, number>;
};

/** Without `owner`, all. Anonymous ones belong to no owner. */
export type DeadLetterFilter = DeadLetterQuery & { owner?: string | null };

/** To be retried, or to be taken from a worker that is gone. */
export type DueDeadLetter = Pick<DeadLetter, "id" | "status" | "tool" | "server">;

export function deadLetterDueAt({ status, nextRetryAt, lease }: KeptDeadLetter): string | null {
  if (status === "retrying") return lease?.until ?? null;
  return status === "pending" ? nextRetryAt : null;
}

/** May the plane run it without being asked? Its caller was refused otherwise, and may have called again. */
export function mayRunUnasked({ repeatable, accepted }: KeptDeadLetter): boolean {
  return repeatable || accepted === true;
}

/** As it counts: a write that an earlier version was about to run again is its caller's. */
export function heldForCaller(letter: KeptDeadLetter): KeptDeadLetter {
  if (letter.status !== "pending" || letter.hold !== null || mayRunUnasked(letter)) return letter;
  return { ...letter, hold: "refused", nextRetryAt: null };
}

export function deadLetterView(letter: KeptDeadLetter): DeadLetter {
  const { revision, asked, options, repeatable, lease, files, ...shown } = heldForCaller(letter);
  const { sent = sentBefore(letter), accepted = false } = shown;
  return { ...shown, sent, accepted, waitsFor: whoseIs(shown) };
}

/** What the receipt of an accepted call shows. */
export function queueView(letter: DeadLetter): QueueView {
  const { status, waitsFor, sent, attempts, nextRetryAt, resolvedCallId } = letter;
  return { status, waitsFor, sent, attempts, nextRetryAt, resolvedCallId };
}

export type QueueView = Pick<
  DeadLetter,
  "status" | "waitsFor" | "sent" | "attempts" | "nextRetryAt" | "resolvedCallId"
>;

function whoseIs({
  status,
  hold,
  nextRetryAt,
}: Pick<DeadLetter, "status" | "hold" | "nextRetryAt">): DeadLetter["waitsFor"] {
  if (status === "resolved" || status === "abandoned") return null;
  if (status === "retrying" || nextRetryAt !== null) return "retry";
  return hold === "refused" ? "caller" : "person";
}

/** Of one that an earlier version stored. */
function sentBefore({ error, hold }: KeptDeadLetter): Sent {
  const neverLeft = error.data.sent === false || error.attempts === 0;
  return neverLeft && hold !== "may_have_run" ? "not_sent" : "not_known";
}

/** As much of a call as its stages have learned before it failed. */
export type FailedCall = Requested & Partial<Executed>;

/** The plane's own trouble: no provider is to blame. */
const ownTrouble: ReadonlySet<ErrorCode> = new Set(["STORE_FAILED", "CONFIG_INVALID"]);

/**
 * Failed permanently by a provider: not refused, cancelled, a tool's own error, a dry run, or retried by its caller. What
 * has run and only said too much is not to be run again.
 */
export function isDead(call: FailedCall, { status, error }: CallRecord): boolean {
  const { dryRun, ownRetries } = call.options;
  if (status !== "failed" || error === null || error.data.tooLarge === true) return false;
  return !ownTrouble.has(error.code) && !dryRun && !ownRetries;
}
