import type { Outcome } from "./calls/call.ts";
import type { AbortSignal } from "./platform.ts";
import type { Caller } from "./principal.ts";
import type { DeadLetter, DeadLetterPage, DeadLetterQuery } from "./work/dead-letter.ts";

/** Calls that failed for good. */
export interface DeadLetterVerbs {
  /** Calls that failed for good, newest first: the caller's own, everybody's with the scope `admin`. */
  deadLetters(query?: DeadLetterQuery, caller?: Caller): Promise<DeadLetterPage>;
  /** One dead letter. */
  deadLetter(id: string, caller?: Caller): Promise<DeadLetter>;
  /**
   * Makes the call again along the whole path, as whoever made it first; also what is not retried by itself.
   *
   * @example
   * const { letters } = await plane.deadLetters({ status: "pending" });
   * for (const { id } of letters) await plane.retryDeadLetter(id);
   */
  retryDeadLetter(id: string, caller?: Caller & { signal?: AbortSignal }): Promise<Outcome>;
  /** Somebody has taken care of it in another way. */
  resolveDeadLetter(id: string, options?: { note?: string }, caller?: Caller): Promise<DeadLetter>;
  /** It is not tried again by itself. */
  abandonDeadLetter(id: string, options?: { note?: string }, caller?: Caller): Promise<DeadLetter>;
  /** True when there was one. */
  deleteDeadLetter(id: string, caller?: Caller): Promise<boolean>;
}
