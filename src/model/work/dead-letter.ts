import type { CallOptions } from "../calls/call.ts";
import type { ToolId } from "../catalogue/tool.ts";
import type { ErrorCategory, ErrorCode, ErrorReport } from "../errors.ts";
import type { Json } from "../json.ts";
import type { Face, Principal } from "../principal.ts";

export const deadLetterStatuses = ["pending", "retrying", "resolved", "abandoned"] as const;
/** What became of a dead letter. */
export type DeadLetterStatus = (typeof deadLetterStatuses)[number];

/** Why nothing but a person's word tries it again. */
export type DeadLetterHold = "permanent" | "may_have_run" | "no_arguments";

export type DeadLetterChange = {
  at: string;
  status: DeadLetterStatus;
  code: ErrorCode | null;
  /** The call that brought the change about. */
  callId: string | null;
  /** Who decided it; null when the plane did. */
  by: string | null;
  note: string | null;
};

/** A call that failed for good, kept so that it can be made again. */
export type DeadLetter = {
  id: string;
  callId: string;
  tool: string;
  server: string | null;
  principal: Principal;
  face: Face;
  /** As the caller gave them; what the system injects is never among them. Null when they were too large to keep. */
  arguments: Json;
  error: ErrorReport;
  category: ErrorCategory;
  /** Failed tries, the first call included. */
  attempts: number;
  maxAttempts: number;
  status: DeadLetterStatus;
  /** Null when it is not tried again by itself; `hold` says why. */
  nextRetryAt: string | null;
  hold: DeadLetterHold | null;
  conversation: string | null;
  /** The call that succeeded in the end. */
  resolvedCallId: string | null;
  createdAt: string;
  updatedAt: string;
  history: DeadLetterChange[];
};

/** A retry under way; a lease that is not renewed in time means that its worker is gone. */
export type DeadLetterLease = {
  until: string;
  was: Pick<DeadLetter, "nextRetryAt"> & { status: "pending" | "abandoned" };
};

/** The entry with what only the plane needs. */
export type KeptDeadLetter = DeadLetter & {
  /** Rises with every change: who read an older one may not write. */
  revision: number;
  asked: string | ToolId;
  options: CallOptions;
  /** Might the tool run twice without harm when it was last called? */
  repeatable: boolean;
  lease: DeadLetterLease | null;
};

/** Which dead letters. */
export type DeadLetterQuery = {
  status?: DeadLetterStatus;
  tool?: string;
  server?: string;
  /** The beginning of an id. */
  id?: string;
  limit?: number;
  /** Where an earlier page ended. */
  cursor?: string;
};

/** `total` are all that match, on this page or not; `byStatus` counts what matches in any status. */
export type DeadLetterPage<Entry = DeadLetter> = {
  total: number;
  deadLetters: Entry[];
  nextCursor: string | null;
  byStatus: Record<DeadLetterStatus, number>;
};

/** What a store is asked for; without `owner`, all. Anonymous ones belong to no owner. */
export type DeadLetterFilter = DeadLetterQuery & { owner?: string | null };

/** Something to be done about it now: to be tried again, or to be taken from a retrier that is gone. */
export type DueDeadLetter = Pick<DeadLetter, "id" | "status" | "tool" | "server">;

/** When something has to be done about it; null when nothing has. */
export function deadLetterDueAt({ status, nextRetryAt, lease }: KeptDeadLetter): string | null {
  if (status === "retrying") return lease?.until ?? null;
  return status === "pending" ? nextRetryAt : null;
}

/** What a caller may see of it. */
export function showDeadLetter(letter: KeptDeadLetter): DeadLetter {
  const {
    revision: _revision,
    asked: _asked,
    options: _options,
    repeatable: _repeatable,
    lease: _lease,
    ...shown
  } = letter;
  return shown;
}
