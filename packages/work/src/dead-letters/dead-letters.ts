import { uniqueId } from "@toolplane/core/lib/ids-and-time";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import type { Outcome, Requested } from "@toolplane/core/model/calls/call";
import type { CallRecord } from "@toolplane/core/model/calls/call-schema";
import { PlaneError } from "@toolplane/core/model/errors";
import type { ErrorReport } from "@toolplane/core/model/errors-schema";
import { mayDo, type Principal } from "@toolplane/core/model/principal";
import type { Begun, DueHandler, Store } from "@toolplane/core/model/store";
import {
  type DeadLetterQuery,
  deadLetterDueAt,
  deadLetterStatuses,
  deadLetterView,
  type FailedCall,
  heldForCaller,
  isDead,
  type KeptDeadLetter,
} from "@toolplane/core/model/work/dead-letter";
import type { DeadLetterParts, DeadLetters, DeadLetterVerbs } from "@toolplane/core/work";
import {
  abandonedEvent,
  checkQuery,
  createDeadLetterStore,
  type DeadLetterStore,
  eventFacts,
  isOwnedBy,
} from "./entries.ts";
import { failureOf, queuedError, toAccepted, toDeadLetter, withWords } from "./entry.ts";
import * as states from "./states.ts";

const dayMs = 24 * 3_600_000;
const keepMs = 7 * dayMs;
/** Concurrent retries: one that hangs does not hold up the others. */
const maxConcurrentRetries = 4;
const maxLetters = 10_000;
/** Deleted ones that can be restored; a person undoes at once or not at all. */
const maxDeleted = 1_000;

/** Calls that failed permanently: kept, retried where that does no harm, and shown to their owners. */
export function createDeadLetters(parts: DeadLetterParts): DeadLetters {
  const { store, emit, onDue } = parts;
  const stopping = new AbortController();
  const entries = createDeadLetterStore(store, emit);
  const retrier = createRetrier(entries, parts, stopping.signal);
  return {
    verbs: createDeadLetterVerbs(entries, retrier, parts),
    async keep(
      call: FailedCall,
      record: CallRecord,
      providerReport: ErrorReport | null = null,
    ): Promise<void> {
      if (record.error === null) return;
      const failure = failureOf(call, record, withWords(record.error, providerReport));
      if (retrier.isRetry(call.id)) return retrier.noteFailure(failure);
      if (!isDead(call, record)) return;
      const id = process.getBuiltinModule("node:crypto").randomUUID();
      const letter = toDeadLetter(id, call, record, failure, Date.now());
      await (await store()).addDeadLetter(letter, maxLetters);
      emit({ type: "dead_letter.added", ...eventFacts(letter), code: failure.error.code });
      if (letter.nextRetryAt !== null) onDue();
    },
    async accept(call, error) {
      const letter = toAccepted(call, error, Date.now());
      await (await store()).addDeadLetter(letter, maxLetters);
      emit({ type: "dead_letter.added", ...eventFacts(letter), code: error.code });
      onDue();
      return queuedError(letter);
    },
    async serverIsBack(server) {
      const { deadLetters } = await (await store()).deadLetters({ server, status: "pending" });
      const waitingLetters = deadLetters.filter(
        ({ accepted, nextRetryAt }) => accepted && nextRetryAt !== null,
      );
      for (const letter of waitingLetters) await entries.replace(states.dueNow(letter, Date.now()));
      if (waitingLetters.length > 0) onDue();
    },
    handler: createDueLetters(entries, retrier, parts.knows),
    async stop(): Promise<void> {
      stopping.abort(new Error("the plane is stopping"));
      await retrier.ended();
    },
  };
}

/** Retries entries when their time comes, and frees those whose retrier is gone. */
function createDueLetters(
  { store, freeIfLost, replace }: DeadLetterStore,
  { retry }: Retrier,
  knows: DeadLetterParts["knows"],
): DueHandler {
  let active = 0;
  let nextCleanAt = 0;

  const dueAt = (letter: KeptDeadLetter | null) => {
    const due = letter === null ? null : deadLetterDueAt(letter);
    return due === null ? null : Date.parse(due);
  };

  async function tryAgain(letter: KeptDeadLetter): Promise<number | null> {
    active += 1;
    try {
      await retry(letter);
    } catch (thrown) {
      // Another plane was faster, which is as good.
      if (!(thrown instanceof PlaneError) || thrown.code !== "CONFLICT") throw thrown;
    } finally {
      active -= 1;
    }
    return dueAt(await (await store()).deadLetter(letter.id));
  }

  return {
    kind: "deadLetter",
    lookMs: dayMs,
    room: () => maxConcurrentRetries - active,
    async onLook(now) {
      if (now < nextCleanAt) return;
      await (await store()).forgetEndedDeadLetters(new Date(now - keepMs).toISOString());
      nextCleanAt = now + dayMs;
    },
    async begin({ id }): Promise<Begun> {
      const storedLetter = await (await store()).deadLetter(id);
      const letter =
        storedLetter?.status === "retrying" ? await freeIfLost(storedLetter) : storedLetter;
      if (letter !== null && heldForCaller(letter) !== letter) {
        await replace(heldForCaller(letter));
        return { is: "over" };
      }
      const due = dueAt(letter);
      if (letter === null || due === null) return { is: "over" };
      if (due > Date.now()) return { is: "later", at: due };
      if (knows(letter)) return { is: "begun", ended: tryAgain(letter) };
      return { is: "unknown" };
    },
  };
}

/** Counted by hand: the store counts all of the user. A page may be shorter than its limit. */
async function ownLetters(
  read: Store["deadLetters"],
  query: DeadLetterQuery,
  principal: Principal,
) {
  const filter = { ...query, owner: principal.user };
  const isOwn = (letter: KeptDeadLetter) => isOwnedBy(letter, principal);
  const { status: _, cursor: __, limit: ___, ...unpagedFilter } = filter;
  const [page, allLetters] = await Promise.all([read(filter), read(unpagedFilter)]);
  const byStatus = { ...page.byStatus };
  for (const name of deadLetterStatuses)
    byStatus[name] = allLetters.deadLetters.filter(
      (letter) => letter.status === name && isOwn(letter),
    ).length;
  const { status } = query;
  const total =
    status === undefined ? allLetters.deadLetters.filter(isOwn).length : byStatus[status];
  return { ...page, total, byStatus, deadLetters: page.deadLetters.filter(isOwn) };
}

/** What people do with entries: their own, or all with the scope `admin`. */
function createDeadLetterVerbs(
  entries: DeadLetterStore,
  retrier: Retrier,
  { emit, onDue }: DeadLetterParts,
): DeadLetterVerbs {
  const { store, findOwn, requireOwn, decide } = entries;
  const deleted = new Map<string, KeptDeadLetter>();
  return {
    async page(query = {}, { principal }) {
      const checkedQuery = checkQuery(query);
      await entries.freeLost();
      const { deadLetters: readLetters } = await store();
      const page = await (mayDo(principal, "admin")
        ? readLetters(checkedQuery)
        : ownLetters(readLetters, checkedQuery, principal));
      return { ...page, deadLetters: page.deadLetters.map(deadLetterView) };
    },
    get: async (id, { principal }) => deadLetterView(await requireOwn(id, principal)),
    retry: async (id, { principal, signal }) =>
      retrier.retry(await requireOwn(id, principal), signal),
    async resolve(id, { note } = {}, { principal }) {
      const letter = await decide(id, principal, states.resolveLetter, note);
      emit({ type: "dead_letter.resolved", ...eventFacts(letter), retryCallId: null });
      return deadLetterView(letter);
    },
    async abandon(id, { note } = {}, { principal }) {
      const letter = await decide(id, principal, states.abandon, note);
      emit(abandonedEvent(letter));
      return deadLetterView(letter);
    },
    async delete(id, { principal }) {
      for (;;) {
        const letter = await findOwn(id, principal);
        if (letter === null) return false;
        if (letter.status === "retrying") throw states.conflict(letter, "deleted");
        if (!(await (await store()).deleteDeadLetter(letter.id, letter.revision))) continue;
        emit({ type: "dead_letter.deleted", ...eventFacts(letter) });
        deleted.set(letter.id, letter);
        for (const oldest of deleted.keys()) if (deleted.size > maxDeleted) deleted.delete(oldest);
        return true;
      }
    },
    async restore(id, { principal }) {
      const letter = deleted.get(id);
      if (letter === undefined || !isOwnedBy(letter, principal))
        return deadLetterView(await requireOwn(id, principal));
      deleted.delete(id);
      await (await store()).addDeadLetter(letter, maxLetters);
      emit({ type: "dead_letter.restored", ...eventFacts(letter) });
      if (letter.nextRetryAt !== null) onDue();
      return deadLetterView(await requireOwn(id, principal));
    },
  };
}

type Retrier = ReturnType<typeof createRetrier>;

/** Makes the call of an entry once more; only the holder of its lease does. */
function createRetrier(
  { replace }: DeadLetterStore,
  { run, emit }: DeadLetterParts,
  stopping: AbortSignal,
) {
  /** How the calls under way have failed: such a failure makes no new entry. */
  const failures = new Map<string, states.Failure | null>();
  const active = new Set<Promise<Outcome>>();

  async function settle(heldLetter: KeptDeadLetter, { ok, call }: Outcome): Promise<void> {
    const settledLetter = letterAfter(heldLetter, call, ok, failures.get(call.id) ?? null);
    // Another plane has taken it over and written its state.
    if ((await replace(settledLetter)) === null) return;
    if (settledLetter.status === "abandoned") emit(abandonedEvent(settledLetter));
    if (settledLetter.status === "resolved")
      emit({ type: "dead_letter.resolved", ...eventFacts(settledLetter), retryCallId: call.id });
  }

  async function retryOnce(
    letter: KeptDeadLetter,
    signals: readonly AbortSignal[],
  ): Promise<Outcome> {
    const call = requestAgain(letter);
    const claimed = await replace(states.claim(letter, call.id, Date.now()));
    if (claimed === null) throw states.conflict({ ...letter, status: "retrying" }, "retried");
    const attempt = claimed.attempts + 1;
    emit({ type: "dead_letter.retrying", ...eventFacts(claimed), retryCallId: call.id, attempt });
    failures.set(call.id, null);
    const lease = holdLease(claimed, replace);
    try {
      const outcome = await run(call, AbortSignal.any([...signals, lease.lost]));
      await settle(await lease.end(), outcome);
      return outcome;
    } finally {
      await lease.end();
      failures.delete(call.id);
    }
  }

  return {
    isRetry: (callId: string) => failures.has(callId),
    noteFailure: (failure: states.Failure) => void failures.set(failure.callId, failure),
    retry(letter: KeptDeadLetter, signal: AbortSignal = stopping): Promise<Outcome> {
      const running = retryOnce(letter, [signal, stopping]).finally(() => active.delete(running));
      active.add(running);
      return running;
    },
    /** Resolves when no retry is under way. */
    ended: async () => void (await Promise.allSettled(active)),
  };
}

function letterAfter(
  heldLetter: KeptDeadLetter,
  call: Outcome["call"],
  ok: boolean,
  failure: states.Failure | null,
) {
  const now = Date.now();
  // One that waits for a person goes on as an approval or in a plan.
  if (ok || call.status === "waiting") return states.succeed(heldLetter, call.id, now);
  if (call.status === "cancelled")
    return states.release(heldLetter, call.id, call.attempts > 0, now);
  if (failure === null) return states.expire(heldLetter, now);
  return states.fail(heldLetter, failure, now);
}

/** Renews the lease during the retry; `lost` aborts when another plane has the entry. */
function holdLease(claimed: KeptDeadLetter, replace: DeadLetterStore["replace"]) {
  const lost = new AbortController();
  let heldLetter = claimed;
  let renewing = Promise.resolve();
  const renewOnce = async () => {
    const renewed = await replace(states.renew(heldLetter, Date.now()));
    if (renewed === null) lost.abort(new Error("the dead letter was taken over"));
    else heldLetter = renewed;
  };
  const timer = setInterval(() => {
    // A store that fails for a moment may be back before the lease is over.
    renewing = renewing.then(renewOnce).catch(() => undefined);
  }, states.retryLeaseMs / 3).unref();
  return {
    lost: lost.signal,
    async end(): Promise<KeptDeadLetter> {
      clearInterval(timer);
      await renewing;
      return heldLetter;
    },
  };
}

/** The caller's request under the key of the first attempt, so that a provider that knows the key does nothing twice. */
function requestAgain(letter: KeptDeadLetter): Requested {
  const { asked: tool, arguments: args, principal, face, options, conversation, callId } = letter;
  return {
    id: uniqueId(),
    at: new Date().toISOString(),
    asked: { tool, arguments: args },
    principal,
    face,
    resumed: true,
    options: {
      idempotencyKey: callId,
      ...options,
      ...withoutUndefined({ conversation: conversation ?? undefined }),
    },
  };
}
