import { serialized } from "../../lib/async/once.ts";
import { pause } from "../../lib/async/pause.ts";
import type { JsonObject } from "../../model/json.ts";
import { type Bucket, type Drawn, drawTurns, fillBucket } from "./bucket.ts";
import { maxWaitMs, type Rated, type Rates, tooSoon } from "./rates.ts";
import type { SharedCounts } from "./shared-counts.ts";

/** Turns that were taken ahead are good for so long. So planes together never go beyond a limit by more than what it
 * gives in this time, however many they are. */
const shareMs = 1_000;
const keptMs = 120_000;

type Share = { turns: number; until: number; ask(rated: Rated, limitMs: number): Promise<Drawn> };

/** The same rates for all planes on one store. A plane takes the turns of a second at once, so that a call seldom waits
 * for the store. While the store is away each plane counts for itself. */
export function createSharedRates(shared: SharedCounts, alone: Rates): Rates {
  const shares = new Map<string, Share>();

  function shareOf(key: string): Share {
    const found = shares.get(key);
    if (found) return found;
    const share: Share = { turns: 0, until: 0, ask: serialized((rated, ms) => next(share, rated, ms)) };
    shares.set(key, share);
    return share;
  }

  function takeHere(share: Share): boolean {
    if (share.turns < 1 || share.until <= Date.now()) return false;
    share.turns -= 1;
    return true;
  }

  async function next(share: Share, { key, perMinute }: Rated, limitMs: number): Promise<Drawn> {
    if (takeHere(share)) return { turns: 1, waitMs: 0 };
    const most = Math.max(1, Math.floor((perMinute * shareMs) / 60_000));
    const drawn = await shared.change(keyOf(key), keptMs, (value, now) => {
      const bucket = fillBucket(value as Bucket | null, perMinute, now);
      const answer = drawTurns(bucket, most, limitMs);
      return { value: bucket as JsonObject, answer };
    });
    share.turns = drawn.waitMs === 0 ? drawn.turns - 1 : 0;
    share.until = Date.now() + shareMs;
    return drawn;
  }

  /** Whoever has left does not use up a turn. */
  function giveBack({ key }: Rated): void {
    const step = (value: JsonObject | null) => ({
      value: value && { ...value, tokens: Number(value.tokens) + 1 },
      answer: null,
    });
    void shared.change(keyOf(key), keptMs, step).catch(() => undefined);
  }

  async function take(rated: Rated, limitMs: number, signal: AbortSignal): Promise<void> {
    const patience = Math.min(limitMs, maxWaitMs);
    const drawn = await shareOf(rated.key)
      .ask(rated, patience)
      .catch(() => null);
    if (drawn === null) return alone.take(rated, limitMs, signal);
    if (drawn.turns === 0) throw tooSoon(rated, drawn.waitMs);
    if (drawn.waitMs > 0) await pause(drawn.waitMs, { signal });
    if (!signal.aborted) return;
    giveBack(rated);
    throw signal.reason;
  }

  return {
    take: (rated, limitMs, signal) => (takeHere(shareOf(rated.key)) ? undefined : take(rated, limitMs, signal)),
    size: () => shares.size + alone.size(),
  };
}

function keyOf(key: string): string {
  return `rate:${key}`;
}
