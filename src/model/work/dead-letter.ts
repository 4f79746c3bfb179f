import type { CallOptions, Executed, Requested } from "../calls/call.ts";
import type { CallRecord } from "../calls/call-schema.ts";
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
export type KeptDeadLetter = Omit<DeadLetter, "waitsFor"> & {
  /** Rises with every change: only the newest may be written. */
  revision: number;
  asked: string | ToolId;
  options: CallOptions;
  /** Could the tool run twice without harm? */
  repeatable: boolean;
  lease: DeadLetterLease | null;
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

export function deadLetterView(letter: KeptDeadLetter): DeadLetter {
  const { revision, asked, options, repeatable, lease, ...shown } = letter;
  const isOver = shown.status === "resolved" || shown.status === "abandoned";
  const isOurs = shown.status === "retrying" || shown.nextRetryAt !== null;
  return { ...shown, waitsFor: isOver ? null : isOurs ? "retry" : "person" };
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
