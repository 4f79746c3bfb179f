import { serialized } from "../../lib/async/once.ts";
import { pause } from "../../lib/async/pause.ts";
import { steadyNow } from "../../lib/async/steady-time.ts";
import { type ErrorData, PlaneError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";
import type { SharedCounts } from "./shared-budgets.ts";

const minuteMs = 60_000;

/** A token bucket; below zero are tokens promised to waiting calls. */
type Bucket = { tokens: number; at: number; perMinute: number };

/** Tokens after a wait, or none: the wait would be too long. */
type Drawn = { turns: number; waitMs: number };

/** A sixth of the rate may come in one burst. */
function burstOf(perMinute: number): number {
  return Math.max(1, Math.ceil(perMinute / 6));
}

/** Also for a limit from a new configuration. */
function fillBucket(bucket: Bucket | null, perMinute: number, now: number): Bucket {
  const { tokens, at: filledAt } = bucket ?? { tokens: burstOf(perMinute), at: now };
  const refilled = tokens + (Math.max(0, now - filledAt) * perMinute) / minuteMs;
  return { tokens: Math.min(burstOf(perMinute), refilled), at: now, perMinute };
}

/** Takes as many of `most` turns as there are, or promises one. */
function drawTurns(bucket: Bucket, maxTurns: number, limitMs: number): Drawn {
  const available = Math.min(maxTurns, Math.floor(bucket.tokens));
  if (available >= 1) {
    bucket.tokens -= available;
    return { turns: available, waitMs: 0 };
  }
  const waitMs = Math.ceil(((1 - bucket.tokens) * minuteMs) / bucket.perMinute);
  if (waitMs > limitMs) return { turns: 0, waitMs };
  bucket.tokens -= 1;
  return { turns: 1, waitMs };
}

/** The longest wait for a rate limit. */
const maxWaitMs = 5_000;

/** The key, the limit, and the words for both. */
export type RateLimit = {
  key: string;
  perMinute: number;
  what: string;
  setting: string;
  data: ErrorData;
};

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** First come, first served. */
export function createRateLimiter() {
  const buckets = new Map<string, Bucket>();
  let sweptAt = 0;

  function fill({ key, perMinute }: RateLimit): Bucket {
    const now = steadyNow();
    if (now - sweptAt >= minuteMs) sweep(now);
    const bucket = buckets.get(key) ?? fillBucket(null, perMinute, now);
    Object.assign(bucket, fillBucket(bucket, perMinute, now));
    buckets.set(key, bucket);
    return bucket;
  }

  /** A full bucket is as if never used. */
  function sweep(now: number): void {
    sweptAt = now;
    for (const [key, bucket] of buckets) {
      if (fillBucket(bucket, bucket.perMinute, now).tokens >= burstOf(bucket.perMinute))
        buckets.delete(key);
    }
  }

  async function wait(bucket: Bucket, waitMs: number, signal: AbortSignal): Promise<void> {
    await pause(waitMs, { signal });
    if (!signal.aborted) return;
    // A cancelled call gives its turn back.
    bucket.tokens += 1;
    throw signal.reason;
  }

  return {
    /** Undefined when there is room. Throws when the wait would exceed `maxWaitMs`. */
    take(limit: RateLimit, limitMs: number, signal: AbortSignal): Promise<void> | undefined {
      const bucket = fill(limit);
      const { turns, waitMs } = drawTurns(bucket, 1, Math.min(limitMs, maxWaitMs));
      if (turns === 0) throw tooSoon(limit, waitMs);
      if (waitMs === 0) return undefined;
      return wait(bucket, waitMs, signal);
    },
    size: () => buckets.size,
  };
}

function tooSoon({ what, perMinute, setting, data }: RateLimit, retryInMs: number): PlaneError {
  const calls = perMinute === 1 ? "1 call" : `${perMinute} calls`;
  const text = `${what} takes ${calls} a minute ('${setting}'), and its next turn comes in ${Math.ceil(retryInMs / 1000)} s. Call again then.`;
  const retryAt = new Date(Date.now() + retryInMs).toISOString();
  return new PlaneError("RATE_LIMITED", text, {
    data: { ...data, sent: false, retryAt, retryInMs },
  });
}

/** How long leased turns are valid. A plane holds the turns of this time at most, so planes together exceed a limit by no more. */
const shareMs = 1_000;
const expiryMs = 120_000;
/** In place of a limit: nothing is promised, and no one waits. */
const noWaitMs = -1;

type Share = {
  turns: number;
  until: number;
  isRenewing: boolean;
  ask(rated: RateLimit, limitMs: number): Promise<Drawn>;
};

function turnsPerLease(perMinute: number): number {
  return Math.max(1, Math.floor((perMinute * shareMs) / 60_000));
}

/**
 * A plane leases the turns of a second. While it is busy it fills the lease up again before half of the turns or of the time
 * are gone, so that no call waits for the store. Without the store each counts for itself.
 */
export function createSharedRateLimiter(shared: SharedCounts, alone: RateLimiter): RateLimiter {
  const shares = new Map<string, Share>();

  function shareOf(key: string): Share {
    const existing = shares.get(key);
    if (existing) return existing;
    const ask: Share["ask"] = serialized((limit, ms) =>
      ms === noWaitMs ? fillUp(share, limit) : nextTurn(share, limit, ms),
    );
    const share: Share = { turns: 0, until: 0, isRenewing: false, ask };
    shares.set(key, share);
    return share;
  }

  const hasTurns = ({ turns, until }: Share) => turns >= 1 && until > steadyNow();

  function takeHere(share: Share): boolean {
    if (!hasTurns(share)) return false;
    share.turns -= 1;
    return true;
  }

  /** In the line of those who ask, so that who comes after it finds its turns. */
  function renewInTime(share: Share, limit: RateLimit): void {
    const most = turnsPerLease(limit.perMinute);
    const isFresh = share.turns > most / 2 && share.until - steadyNow() > shareMs / 2;
    if (share.isRenewing || most < 2 || isFresh) return;
    share.isRenewing = true;
    share
      .ask(limit, noWaitMs)
      .catch(() => undefined)
      .finally(() => {
        share.isRenewing = false;
      });
  }

  function draw({ key, perMinute }: RateLimit, maxTurns: number, limitMs: number): Promise<Drawn> {
    return shared.change(`rate:${key}`, expiryMs, (value, now) => {
      const bucket = fillBucket(value as Bucket | null, perMinute, now);
      return { answer: drawTurns(bucket, maxTurns, limitMs), value: bucket as JsonObject };
    });
  }

  async function fillUp(share: Share, limit: RateLimit): Promise<Drawn> {
    const missing = Math.max(1, turnsPerLease(limit.perMinute) - share.turns);
    const drawn = await draw(limit, missing, noWaitMs);
    if (drawn.turns === 0) return drawn;
    share.turns = drawn.turns + (hasTurns(share) ? share.turns : 0);
    share.until = steadyNow() + shareMs;
    return drawn;
  }

  async function nextTurn(share: Share, limit: RateLimit, limitMs: number): Promise<Drawn> {
    if (takeHere(share)) return { turns: 1, waitMs: 0 };
    const drawn = await draw(limit, turnsPerLease(limit.perMinute), limitMs);
    share.turns = drawn.waitMs === 0 ? drawn.turns - 1 : 0;
    share.until = steadyNow() + shareMs;
    return drawn;
  }

  /** A cancelled call gives its turn back. */
  function giveBack({ key }: RateLimit): void {
    function step(value: JsonObject | null) {
      return {
        value: value && { ...value, tokens: Number(value.tokens) + 1 },
        answer: null,
      };
    }

    void shared.change(`rate:${key}`, expiryMs, step).catch(() => undefined);
  }

  async function waitForTurn(
    limit: RateLimit,
    limitMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    const waitMs = Math.min(limitMs, maxWaitMs);
    const drawn = await shareOf(limit.key)
      .ask(limit, waitMs)
      .catch(() => null);
    if (drawn === null) return alone.take(limit, limitMs, signal);
    if (drawn.turns === 0) throw tooSoon(limit, drawn.waitMs);
    if (drawn.waitMs > 0) await pause(drawn.waitMs, { signal });
    if (!signal.aborted) return;
    giveBack(limit);
    throw signal.reason;
  }

  return {
    take(limit, limitMs, signal) {
      const share = shareOf(limit.key);
      if (!takeHere(share)) return waitForTurn(limit, limitMs, signal);
      renewInTime(share, limit);
      return undefined;
    },
    size: () => shares.size + alone.size(),
  };
}
