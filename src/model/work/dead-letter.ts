import type { CallOptions } from "../calls/call.ts";
import type { ToolId } from "../catalogue/tool.ts";
import type { ErrorCategory, ErrorCode, ErrorReport } from "../errors.ts";
import type { Json } from "../json.ts";
import type { Face, Principal } from "../principal.ts";

export const deadLetterStatuses = ["pending", "retrying", "resolved", "abandoned"] as const;
/** The state of a dead letter. */
export type DeadLetterStatus = (typeof deadLetterStatuses)[number];

/** Why there is no automatic retry. */
export type DeadLetterHold = "permanent" | "may_have_run" | "no_arguments";

export type DeadLetterChange = {
  at: string;
  status: DeadLetterStatus;
  code: ErrorCode | null;
  callId: string | null;
  /** Null when the plane decided. */
  by: string | null;
  note: string | null;
};

/** A call that failed permanently, kept to be made again. */
export type DeadLetter = {
  id: string;
  callId: string;
  tool: string;
  server: string | null;
  principal: Principal;
  face: Face;
  /** Without injected values. Null when they were too large. */
  arguments: Json;
  error: ErrorReport;
  category: ErrorCategory;
  attempts: number;
  maxAttempts: number;
  status: DeadLetterStatus;
  /** Null without automatic retry; see `hold`. */
  nextRetryAt: string | null;
  hold: DeadLetterHold | null;
  /** What happens next: the plane retries it, or a person has to decide. Null when it is over. */
  waitsFor: "retry" | "person" | null;
  conversation: string | null;
  /** The call that succeeded in the end. */
  resolvedCallId: string | null;
  createdAt: string;
  updatedAt: string;
  history: DeadLetterChange[];
};

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

export function showDeadLetter(letter: KeptDeadLetter): DeadLetter {
  const { revision, asked, options, repeatable, lease, ...shown } = letter;
  const isOver = shown.status === "resolved" || shown.status === "abandoned";
  const isOurs = shown.status === "retrying" || shown.nextRetryAt !== null;
  return { ...shown, waitsFor: isOver ? null : isOurs ? "retry" : "person" };
}
