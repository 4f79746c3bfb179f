import type { JsonObject } from "../../model/json.ts";
import type { SharedCounts } from "./shared-budgets.ts";

/** The share of calls that may be retried, and the number that always may. */
const share = 0.2;
const least = 20;

/** The last minute in buckets. */
const pieceMs = 10_000;
const pieces = 6;

type Counts = { piece: number; calls: number[]; retries: number[] };

export type RetryBudget = {
  called(target: string): void;
  take(target: string): boolean | Promise<boolean>;
};

/**
 * Retries stay a small share of calls: more do not help an overloaded target. Planes report their calls with their next
 * retry, so the sum is never above what was made.
 */
export function createRetryBudget(shared?: SharedCounts): RetryBudget {
  const targets = new Map<string, Counts>();
  const countsOf = (target: string): Counts => {
    const piece = Math.floor(Date.now() / pieceMs);
    const found = targets.get(target) ?? emptyAt(piece);
    if (!targets.has(target)) targets.set(target, found);
    forget(found, piece);
    return found;
  };

  return {
    called(target) {
      const { calls, piece } = countsOf(target);
      calls[piece % pieces] = (calls[piece % pieces] ?? 0) + 1;
    },
    take(target) {
      const counts = countsOf(target);
      if (shared === undefined) return takeOne(counts);
      const calls = sum(counts.calls);
      counts.calls = empty();
      return takeTogether(shared, target, calls).catch(() => takeOne(counts));
    },
  };
}

function takeTogether(shared: SharedCounts, target: string, calls: number): Promise<boolean> {
  return shared.change(`retries:${target}`, pieces * pieceMs, (value, now) => {
    const piece = Math.floor(now / pieceMs);
    const counts = (value as Counts | null) ?? emptyAt(piece);
    forget(counts, piece);
    counts.calls[piece % pieces] = (counts.calls[piece % pieces] ?? 0) + calls;
    const answer = takeOne(counts);
    return { value: counts as JsonObject, answer };
  });
}

function takeOne({ calls, retries, piece }: Counts): boolean {
  if (sum(retries) + 1 > Math.max(least, share * sum(calls))) return false;
  retries[piece % pieces] = (retries[piece % pieces] ?? 0) + 1;
  return true;
}

function emptyAt(piece: number): Counts {
  return { piece, calls: empty(), retries: empty() };
}

function empty(): number[] {
  return Array.from({ length: pieces }, () => 0);
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** Older than the last minute. */
function forget(counts: Counts, piece: number): void {
  const passed = Math.min(pieces, Math.abs(piece - counts.piece));
  for (let at = 0; at < passed; at += 1) {
    const old = (piece - at + pieces) % pieces;
    counts.calls[old] = 0;
    counts.retries[old] = 0;
  }
  counts.piece = piece;
}
