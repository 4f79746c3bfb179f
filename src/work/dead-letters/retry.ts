import { uniqueId } from "../../lib/unique-id.ts";
import type { Outcome, Requested } from "../../model/call.ts";
import type { KeptDeadLetter } from "../../model/dead-letter.ts";
import type { PlaneEvent } from "../../model/events.ts";
import { abandonedEvent, eventFacts } from "./entries.ts";
import { claim, conflict, expire, type Failure, fail, leaseMs, release, renew, succeed } from "./states.ts";

export type RetryParts = {
  /** The entry as it is now, or null when somebody else has changed it meanwhile. */
  replace(letter: KeptDeadLetter): Promise<KeptDeadLetter | null>;
  /** One call along the whole path. */
  run(call: Requested, signal: AbortSignal): Promise<Outcome>;
  emit(event: PlaneEvent): void;
};

export type Retrier = ReturnType<typeof createRetrier>;

/** Makes the call of an entry once more. Who holds the entry is the only one who does. */
export function createRetrier({ replace, run, emit }: RetryParts) {
  /** How the calls under way have failed; such a failure belongs to its entry and makes no new one. */
  const failures = new Map<string, Failure | null>();

  const active = new Set<Promise<Outcome>>();

  async function settle(held: KeptDeadLetter, { ok, call }: Outcome): Promise<void> {
    const next = after(held, call, ok, failures.get(call.id) ?? null);
    // Taken away meanwhile: whoever did so has said what is true now.
    if ((await replace(next)) === null) return;
    if (next.status === "abandoned") emit(abandonedEvent(next));
    if (next.status === "resolved")
      emit({ type: "dead_letter.resolved", ...eventFacts(next), retryCallId: call.id });
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

/** Renews the lease for as long as the retry takes; `lost` tells that somebody else has the entry now. */
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
