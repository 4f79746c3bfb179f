import type { CallRecord, Outcome, Requested } from "../model/call.ts";
import type { DueDeadLetter } from "../model/dead-letter.ts";
import type { DeadLetterVerbs } from "../model/dead-letter-verbs.ts";
import { PlaneError } from "../model/errors.ts";
import type { PlaneEvent } from "../model/events.ts";
import type { Principal } from "../model/principal.ts";
import type { Store } from "../model/store.ts";
import { createEntries, eventFacts } from "./entries.ts";
import { type FailedCall, failureOf, isDead, toDeadLetter } from "./entry.ts";
import { createRetrier } from "./retry.ts";
import { createRetryLoop } from "./retry-loop.ts";
import { createDeadLetterVerbs } from "./verbs.ts";

const mostKept = 10_000;
const keptMs = 7 * 24 * 3_600_000;

export type DeadLetterParts = {
  store(): Promise<Store>;
  run(call: Requested, signal: AbortSignal): Promise<Outcome>;
  emit(event: PlaneEvent): void;
  everybody: Principal;
  /** Several planes may share a store and not their configuration: each tries only what it knows. */
  knows(due: DueDeadLetter): boolean;
};

export type DeadLetters = {
  verbs: DeadLetterVerbs;
  /** Keeps a call that failed for good; resolves when that is durable. */
  keep(call: FailedCall, record: CallRecord): Promise<void>;
  /** From now on entries are tried again when their time comes. */
  start(): void;
  /** What this plane knows has changed. */
  wake(): void;
  stop(): Promise<void>;
};

/** What failed for good: kept, tried again where that does no harm, and shown to whom it belongs. */
export function createDeadLetters({ store, run, emit, everybody, knows }: DeadLetterParts): DeadLetters {
  const stopping = new AbortController();
  const entries = createEntries(store, emit);
  const retrier = createRetrier({ replace: entries.replace, run, emit });
  const loop = createRetryLoop<DueDeadLetter>({
    async due(now) {
      const all = await (await store()).dueDeadLetters(new Date(now).toISOString());
      return all.filter((due) => due.status === "retrying" || knows(due));
    },
    async work({ id, status }) {
      const letter = await (await store()).deadLetter(id);
      if (letter === null || letter.status !== status) return;
      if (status === "retrying") await entries.freed(letter);
      else if (letter.nextRetryAt !== null && Date.parse(letter.nextRetryAt) <= Date.now())
        await retrier.retry(letter, stopping.signal).catch(unlessConflict);
    },
    async nextAt(after) {
      const next = await (await store()).nextDeadLetterDue(new Date(after).toISOString());
      return next === null ? null : Date.parse(next);
    },
    async clean(now) {
      await (await store()).forgetEndedDeadLetters(new Date(now - keptMs).toISOString());
    },
  });
  return {
    verbs: createDeadLetterVerbs({ entries, retrier, emit, everybody, stopping: stopping.signal }),
    async keep(call, record) {
      if (record.error === null) return;
      const failure = failureOf(call, record, record.error);
      if (retrier.isRetry(call.id)) return retrier.noteFailure(failure);
      if (!isDead(call, record)) return;
      const id = process.getBuiltinModule("node:crypto").randomUUID();
      const letter = toDeadLetter(id, call, record, failure, Date.now());
      await (await store()).addDeadLetter(letter, mostKept);
      emit({ type: "dead_letter.added", ...eventFacts(letter), code: failure.error.code });
      if (letter.nextRetryAt !== null) loop.wake();
    },
    start: loop.start,
    wake: loop.wake,
    async stop() {
      stopping.abort(new Error("the plane is stopping"));
      await Promise.all([loop.stop(), retrier.ended()]);
    },
  };
}

/** Another plane was faster, which is as good. */
function unlessConflict(thrown: unknown): void {
  if (!(thrown instanceof PlaneError) || thrown.code !== "CONFLICT") throw thrown;
}
