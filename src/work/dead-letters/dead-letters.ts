import type { CallRecord, Outcome, Requested } from "../../model/call.ts";
import type { KeptDeadLetter } from "../../model/dead-letter.ts";
import type { DeadLetterVerbs } from "../../model/dead-letter-verbs.ts";
import type { DueHandler } from "../../model/due-work.ts";
import type { ErrorReport } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import type { Principal } from "../../model/principal.ts";
import type { Store } from "../../model/store.ts";
import { createDueLetters } from "./due-letters.ts";
import { createEntries, eventFacts } from "./entries.ts";
import { type FailedCall, failureOf, isDead, toDeadLetter, withWords } from "./entry.ts";
import { createRetrier } from "./retry.ts";
import { createDeadLetterVerbs } from "./verbs.ts";

const maxKept = 10_000;

export type DeadLetterParts = {
  store(): Promise<Store>;
  run(call: Requested, signal: AbortSignal): Promise<Outcome>;
  emit(event: PlaneEvent): void;
  defaultPrincipal: Principal;
  /** Several planes may share a store and not their configuration: each tries only what it knows. */
  knows(letter: Pick<KeptDeadLetter, "server" | "tool">): boolean;
  /** An entry has a time from now on. */
  onDue(): void;
};

export type DeadLetters = {
  verbs: DeadLetterVerbs;
  /** Keeps a call that failed for good; resolves when that is durable. */
  /** `error` is what the caller was told; the record has no words of a provider. */
  keep(call: FailedCall, record: CallRecord, error?: ErrorReport | null): Promise<void>;
  /** Tries entries again when their time comes. */
  handler: DueHandler;
  stop(): Promise<void>;
};

/** What failed for good: kept, tried again where that does no harm, and shown to whom it belongs. */
export function createDeadLetters(parts: DeadLetterParts): DeadLetters {
  const { store, run, emit, defaultPrincipal, knows, onDue } = parts;
  const stopping = new AbortController();
  const entries = createEntries(store, emit);
  const retrier = createRetrier({ replace: entries.replace, run, emit });
  const handler = createDueLetters({
    store,
    freed: entries.freed,
    retry: (letter) => retrier.retry(letter, stopping.signal),
    knows,
  });
  return {
    verbs: createDeadLetterVerbs({ entries, retrier, emit, defaultPrincipal, stopping: stopping.signal }),
    async keep(call, record, told) {
      if (record.error === null) return;
      const failure = failureOf(call, record, withWords(record.error, told ?? null));
      if (retrier.isRetry(call.id)) return retrier.noteFailure(failure);
      if (!isDead(call, record)) return;
      const id = process.getBuiltinModule("node:crypto").randomUUID();
      const letter = toDeadLetter(id, call, record, failure, Date.now());
      await (await store()).addDeadLetter(letter, maxKept);
      emit({ type: "dead_letter.added", ...eventFacts(letter), code: failure.error.code });
      if (letter.nextRetryAt !== null) onDue();
    },
    handler,
    async stop() {
      stopping.abort(new Error("the plane is stopping"));
      await retrier.ended();
    },
  };
}
