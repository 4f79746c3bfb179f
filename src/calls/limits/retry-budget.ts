import type { JsonObject } from "../../model/json.ts";
import type { SharedCounts } from "./shared-budgets.ts";

/** The share of calls that may be retried, and the number that always may. */
const share = 0.2;
const least = 20;

/** The last minute in pieces. */
const pieceMs = 10_000;
const pieces = 6;

type Piece = { calls: number; retries: number };
type Counts = Record<string, Piece>;

export type RetryBudget = ReturnType<typeof createRetryBudget>;

/**
 * Retries stay a small share of calls: more do not help an overloaded target. Planes report their calls with their next
 * retry, so the sum is never above what was made.
 */
export function createRetryBudget(shared?: SharedCounts) {
  const targets = new Map<string, Counts>();
  const countsOf = (target: string): Counts => {
    const found = targets.get(target) ?? {};
    targets.set(target, found);
    return found;
  };
  return {
    called(target: string): void {
      currentPiece(countsOf(target), Date.now()).calls += 1;
    },
    take(target: string): boolean | Promise<boolean> {
      const counts = countsOf(target);
      const piece = currentPiece(counts, Date.now());
      if (shared === undefined) return takeOne(counts, piece);
      const calls = sum(counts, "calls");
      for (const one of Object.values(counts)) one.calls = 0;
      return shared
        .change(`retries:${target}`, pieces * pieceMs, (value, now) => {
          const all = (value ?? {}) as Counts;
          const current = currentPiece(all, now);
          current.calls += calls;
          return { answer: takeOne(all, current), value: all as JsonObject };
        })
        .catch(() => takeOne(counts, piece));
    },
  };
}

/** Drops what is older than the last minute. */
function currentPiece(counts: Counts, now: number): Piece {
  const at = Math.floor(now / pieceMs);
  const found = counts[at];
  if (found) return found;
  for (const old of Object.keys(counts))
    if (!(Math.abs(at - Number(old)) < pieces)) delete counts[old];
  const piece = { calls: 0, retries: 0 };
  counts[at] = piece;
  return piece;
}

function takeOne(counts: Counts, piece: Piece): boolean {
  if (sum(counts, "retries") + 1 > Math.max(least, share * sum(counts, "calls"))) return false;
  piece.retries += 1;
  return true;
}

function sum(counts: Counts, of: keyof Piece): number {
  return Object.values(counts).reduce((total, piece) => total + piece[of], 0);
}
