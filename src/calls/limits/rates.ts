import { pause } from "../../lib/async/pause.ts";
import { type ErrorData, PlaneError } from "../../model/errors.ts";
import { type Bucket, burstOf, drawTurns, fillBucket } from "./bucket.ts";

const minuteMs = 60_000;
/** Nobody waits longer than this for a turn. */
export const maxWaitMs = 5_000;

/** Who is limited, by which key of which value, and how that is told. */
export type Rated = { key: string; perMinute: number; what: string; setting: string; data: ErrorData };

export type Rates = {
  /** Undefined when there is room. Throws when the turn would come later than anybody waits. */
  take(rated: Rated, limitMs: number, signal: AbortSignal): Promise<void> | undefined;
  /** How many things are being counted. */
  size(): number;
};

/** So many in a minute, of which a sixth at once. Turns are given in the order they are asked for. */
export function createRates(): Rates {
  const buckets = new Map<string, Bucket>();
  let sweptAt = 0;

  function fill({ key, perMinute }: Rated): Bucket {
    const now = Date.now();
    if (now - sweptAt >= minuteMs) sweep(now);
    const found = buckets.get(key) ?? fillBucket(null, perMinute, now);
    Object.assign(found, fillBucket(found, perMinute, now));
    buckets.set(key, found);
    return found;
  }

  /** What is full again is as if it had never been used. */
  function sweep(now: number): void {
    sweptAt = now;
    for (const [key, bucket] of buckets) {
      if (fillBucket(bucket, bucket.perMinute, now).tokens >= burstOf(bucket.perMinute)) buckets.delete(key);
    }
  }

  async function wait(bucket: Bucket, waitMs: number, signal: AbortSignal): Promise<void> {
    await pause(waitMs, { signal });
    if (!signal.aborted) return;
    // Whoever has left does not use up a turn.
    bucket.tokens += 1;
    throw signal.reason;
  }

  return {
    take(rated, limitMs, signal) {
      const bucket = fill(rated);
      const { turns, waitMs } = drawTurns(bucket, 1, Math.min(limitMs, maxWaitMs));
      if (turns === 0) throw tooSoon(rated, waitMs);
      return waitMs === 0 ? undefined : wait(bucket, waitMs, signal);
    },
    size: () => buckets.size,
  };
}

export function tooSoon({ what, perMinute, setting, data }: Rated, retryInMs: number): PlaneError {
  const calls = perMinute === 1 ? "1 call" : `${perMinute} calls`;
  const text = `${what} takes ${calls} a minute ('${setting}'), and its next turn comes in ${Math.ceil(retryInMs / 1000)} s. Call again then.`;
  const retryAt = new Date(Date.now() + retryInMs).toISOString();
  return new PlaneError("RATE_LIMITED", text, { data: { ...data, sent: false, retryAt, retryInMs } });
}
