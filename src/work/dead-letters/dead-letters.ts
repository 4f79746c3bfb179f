import { uniqueId } from "../../lib/stamps.ts";
import type { CallRecord, Outcome, Requested } from "../../model/calls/call.ts";
import { type ErrorReport, PlaneError } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import { mayDo, type Principal } from "../../model/principal.ts";
import type { Begun, DueHandler, Store } from "../../model/store.ts";
import { deadLetterDueAt, type KeptDeadLetter, showDeadLetter } from "../../model/work/dead-letter.ts";
import type { DeadLetterVerbs } from "../verbs.ts";
import { abandonedEvent, checkQuery, createEntries, type Entries, eventFacts } from "./entries.ts";
import { type FailedCall, failureOf, isDead, toDeadLetter, withWords } from "./entry.ts";
import {
  abandon,
  claim,
  conflict,
  expire,
  type Failure,
  fail,
  leaseMs,
  release,
  renew,
  resolve,
  succeed,
} from "./states.ts";

const dayMs = 24 * 3_600_000;
const keptMs = 7 * dayMs;
/** So many entries at a time; one that hangs does not hold up the others. */
const lanes = 4;

type DueLetterParts = {
  store(): Promise<Store>;
  /** Free again, if its lease has expired. */
  freed(letter: KeptDeadLetter): Promise<KeptDeadLetter | null>;
  retry(letter: KeptDeadLetter): Promise<Outcome>;
  knows(letter: Pick<KeptDeadLetter, "server" | "tool">): boolean;
};

/** What is done about entries when their time comes: tried again, or taken from a retrier that is gone. */
function createDueLetters({ store, freed, retry, knows }: DueLetterParts): DueHandler {
  let active = 0;
  let cleanAt = 0;

  const dueAt = (letter: KeptDeadLetter | null) => {
    const at = letter === null ? null : deadLetterDueAt(letter);
    return at === null ? null : Date.parse(at);
  };

  async function tryAgain(letter: KeptDeadLetter): Promise<number | null> {
    active += 1;
    try {
      await retry(letter).catch(unlessConflict);
    } finally {
      active -= 1;
    }
    return dueAt(await (await store()).deadLetter(letter.id));
  }

  return {
    kind: "deadLetter",
    lookMs: dayMs,
    room: () => lanes - active,
    async onLook(now) {
      if (now < cleanAt) return;
      await (await store()).forgetEndedDeadLetters(new Date(now - keptMs).toISOString());
      cleanAt = now + dayMs;
    },
    async begin({ id }): Promise<Begun> {
      const found = await (await store()).deadLetter(id);
      const letter = found?.status === "retrying" ? await freed(found) : found;
      const at = dueAt(letter);
      if (letter === null || at === null) return { is: "over" };
      if (at > Date.now()) return { is: "later", at };
      return knows(letter) ? { is: "begun", ended: tryAgain(letter) } : { is: "unknown" };
    },
  };
}

/** Another plane was faster, which is as good. */
function unlessConflict(thrown: unknown): void {
  if (!(thrown instanceof PlaneError) || thrown.code !== "CONFLICT") throw thrown;
}

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

type VerbParts = {
  entries: Entries;
  retrier: Retrier;
  emit(event: PlaneEvent): void;
  defaultPrincipal: Principal;
  stopping: AbortSignal;
};

/** What people do with entries: their own, or all with the scope `admin`. */
function createDeadLetterVerbs(parts: VerbParts): DeadLetterVerbs {
  const { entries, retrier, emit, defaultPrincipal, stopping } = parts;
  return {
    async deadLetters(query = {}, { principal = defaultPrincipal } = {}) {
      const asked = checkQuery(query);
      await entries.freeLost();
      const filter = mayDo(principal, "admin") ? asked : { ...asked, owner: principal.user };
      const page = await (await entries.store()).deadLetters(filter);
      return { ...page, deadLetters: page.deadLetters.map(showDeadLetter) };
    },
    deadLetter: async (id, { principal = defaultPrincipal } = {}) =>
      showDeadLetter(await entries.required(id, principal)),
    async retryDeadLetter(id, { principal = defaultPrincipal, signal } = {}) {
      const letter = await entries.required(id, principal);
      return retrier.retry(letter, signal ? AbortSignal.any([signal, stopping]) : stopping);
    },
    async resolveDeadLetter(id, { note } = {}, { principal = defaultPrincipal } = {}) {
      const letter = await entries.decide(id, principal, resolve, note);
      emit({ type: "dead_letter.resolved", ...eventFacts(letter), retryCallId: null });
      return showDeadLetter(letter);
    },
    async abandonDeadLetter(id, { note } = {}, { principal = defaultPrincipal } = {}) {
      const letter = await entries.decide(id, principal, abandon, note);
      emit(abandonedEvent(letter));
      return showDeadLetter(letter);
    },
    async deleteDeadLetter(id, { principal = defaultPrincipal } = {}) {
      for (;;) {
        const letter = await entries.own(id, principal);
        if (letter === null) return false;
        if (letter.status === "retrying") throw conflict(letter, "deleted");
        if (!(await (await entries.store()).deleteDeadLetter(letter.id, letter.revision))) continue;
        emit({ type: "dead_letter.deleted", ...eventFacts(letter) });
        return true;
      }
    },
  };
}

type RetryParts = {
  /** The entry as it is now, or null when it was changed meanwhile. */
  replace(letter: KeptDeadLetter): Promise<KeptDeadLetter | null>;
  /** One call along the whole path. */
  run(call: Requested, signal: AbortSignal): Promise<Outcome>;
  emit(event: PlaneEvent): void;
};

type Retrier = ReturnType<typeof createRetrier>;

/** Makes the call of an entry once more. Who holds the entry is the only one who does. */
function createRetrier({ replace, run, emit }: RetryParts) {
  /** How the calls under way have failed; such a failure belongs to its entry and makes no new one. */
  const failures = new Map<string, Failure | null>();

  const active = new Set<Promise<Outcome>>();

  async function settle(held: KeptDeadLetter, { ok, call }: Outcome): Promise<void> {
    const next = after(held, call, ok, failures.get(call.id) ?? null);
    // Another plane has taken it over and written its state.
    if ((await replace(next)) === null) return;
    if (next.status === "abandoned") emit(abandonedEvent(next));
    if (next.status === "resolved") emit({ type: "dead_letter.resolved", ...eventFacts(next), retryCallId: call.id });
  }

  async function retry(letter: KeptDeadLetter, signal?: AbortSignal): Promise<Outcome> {
    const call = requestAgain(letter);
    const claimed = await replace(claim(letter, call.id, Date.now()));
    if (claimed === null) throw conflict({ ...letter, status: "retrying" }, "retried");
    const attempt = claimed.attempts + 1;
    emit({ type: "dead_letter.retrying", ...eventFacts(claimed), retryCallId: call.id, attempt });
    failures.set(call.id, null);
    const holding = hold(claimed, replace);
    try {
      const outcome = await run(call, signal ? AbortSignal.any([signal, holding.lost]) : holding.lost);
      await settle(await holding.end(), outcome);
      return outcome;
    } finally {
      await holding.end();
      failures.delete(call.id);
    }
  }

  return {
    isRetry: (callId: string) => failures.has(callId),
    noteFailure: (failure: Failure) => void failures.set(failure.callId, failure),
    retry(letter: KeptDeadLetter, signal?: AbortSignal): Promise<Outcome> {
      const running = retry(letter, signal).finally(() => active.delete(running));
      active.add(running);
      return running;
    },
    /** When no retry is under way any more. */
    ended: async () => void (await Promise.allSettled(active)),
  };
}

function after(held: KeptDeadLetter, call: Outcome["call"], ok: boolean, failure: Failure | null) {
  const now = Date.now();
  if (ok) return succeed(held, call.id, now);
  if (call.status === "cancelled") return release(held, call.id, call.attempts > 0, now);
  return failure === null ? expire(held, now) : fail(held, failure, now);
}

/** Renews the lease for as long as the retry takes; `lost` aborts when another plane has the entry. */
function hold(claimed: KeptDeadLetter, replace: RetryParts["replace"]) {
  const lost = new AbortController();
  let held = claimed;
  let renewing = Promise.resolve();
  const timer = setInterval(() => {
    renewing = renewing
      .then(() => replace(renew(held, Date.now())))
      .then((renewed) => {
        if (renewed === null) lost.abort(new Error("the dead letter was taken over"));
        else held = renewed;
      })
      // A store that fails for a moment may be back before the lease is over.
      .catch(() => undefined);
  }, leaseMs / 3).unref();
  return {
    lost: lost.signal,
    async end(): Promise<KeptDeadLetter> {
      clearInterval(timer);
      await renewing;
      return held;
    },
  };
}

/** As the caller asked, under the key of the first try, so that a provider that knows it does nothing twice. */
function requestAgain(letter: KeptDeadLetter): Requested {
  const { asked, principal, face, options, conversation, callId } = letter;
  return {
    id: uniqueId(),
    at: new Date().toISOString(),
    asked: { tool: asked, arguments: letter.arguments },
    principal,
    face,
    resumed: true,
    options: { idempotencyKey: callId, ...options, ...(conversation === null ? {} : { conversation }) },
  };
}
