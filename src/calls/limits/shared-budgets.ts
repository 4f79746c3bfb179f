import type { Cost } from "../../model/calls/call.ts";
import type { JsonObject } from "../../model/json.ts";
import type { SharedStep } from "../../model/store.ts";
import { rest } from "./cost.ts";

/** Shared by all planes on one store. Rejects while the store is away. */
export type SharedCounts = {
  read(key: string): Promise<unknown>;
  change<T>(key: string, keptMs: number, step: SharedStep<T>): Promise<T>;
};

/** An unused budget is forgotten after this. */
const keptMs = 24 * 3_600_000;
/** Time that a plane takes at once, at most a quarter of the rest. */
const shareMs = 5_000;
const minMs = 250;

/** `takenMs` are used, or held by planes. */
type SharedBudget = { takenMs: number; cost: Record<string, number> };

const nothing: SharedBudget = { takenMs: 0, cost: {} };

export function createSharedBudgets(shared: SharedCounts) {
  const step = <T>(key: string, change: (budget: SharedBudget) => { budget: SharedBudget; answer: T }) =>
    shared.change(keyOf(key), keptMs, (value) => {
      const { budget, answer } = change({ ...nothing, ...(value as Partial<SharedBudget> | null) });
      return { value: budget as JsonObject, answer };
    });

  return {
    read: async (key: string): Promise<SharedBudget> => ({
      ...nothing,
      ...((await shared.read(keyOf(key))) as Partial<SharedBudget> | null),
    }),
    /** Reports overuse and takes more. `gotMs` is 0 when there is none. */
    takeTime: (key: string, overMs: number, limitMs: number): Promise<{ gotMs: number; takenMs: number }> =>
      step(key, ({ takenMs: before, cost }) => {
        const left = limitMs - before - overMs;
        const gotMs = left <= 0 ? 0 : Math.min(left, Math.max(minMs, Math.min(shareMs, left / 4)));
        const takenMs = before + overMs + gotMs;
        return { budget: { takenMs, cost }, answer: { gotMs, takenMs } };
      }),
    /** Reports overuse, or returns unused time. */
    addTime: (key: string, ms: number): Promise<null> =>
      step(key, ({ takenMs, cost }) => ({
        budget: { takenMs: Math.max(0, takenMs + ms), cost },
        answer: null,
      })),
    /** Null when paid, otherwise what is spent already. A `limit` of null is none. */
    pay: (key: string, { amount, unit }: Cost, limit: number | null): Promise<number | null> =>
      step(key, (budget) => {
        const spent = budget.cost[unit] ?? 0;
        const sum = Math.round((spent + amount) * 1e9) / 1e9;
        if (limit !== null && amount > 0 && sum > limit + rest) return { budget, answer: spent };
        return { budget: { ...budget, cost: { ...budget.cost, [unit]: sum } }, answer: null };
      }),
    forget: (key: string): Promise<null> => shared.change(keyOf(key), keptMs, () => ({ value: null, answer: null })),
  };
}

export type SharedBudgets = ReturnType<typeof createSharedBudgets>;

function keyOf(key: string): string {
  return `budget:${key}`;
}

/** How often unused time is returned and overuse reported. */
const lookMs = 2_000;

export type Timed = {
  key: string;
  /** Taken from all planes' time, used or not. */
  heldMs: number;
  asking?: Promise<number | null> | undefined;
  /** With what still runs. */
  usedMs(): number;
  isRunning(): boolean;
};

type TimeShares = {
  /** Undefined while there is time in hand. Null when more was got, otherwise what all have taken. */
  take(timed: Timed, limitMs: number): Promise<number | null> | undefined;
  /** Overuse is reported soon. */
  settle(timed: Timed): void;
  release(): Promise<void>;
};

/** In shares, so that a call seldom waits for the store. */
export function createTimeShares(shared: SharedBudgets): TimeShares {
  const holding = new Set<Timed>();
  let clock: NodeJS.Timeout | undefined;

  async function ask(timed: Timed, limitMs: number): Promise<number | null> {
    const overMs = Math.max(0, timed.usedMs() - timed.heldMs);
    timed.heldMs += overMs;
    try {
      const { gotMs, takenMs } = await shared.takeTime(timed.key, overMs, limitMs);
      timed.heldMs += gotMs;
      hold(timed);
      return gotMs > 0 ? null : takenMs;
    } catch (thrown) {
      timed.heldMs -= overMs;
      throw thrown;
    } finally {
      timed.asking = undefined;
    }
  }

  function hold(timed: Timed): void {
    holding.add(timed);
    clock ??= setInterval(look, lookMs).unref();
  }

  function look(): void {
    for (const timed of holding) {
      if (!timed.asking) void settleShare(timed, shared);
      if (!timed.isRunning()) holding.delete(timed);
    }
    if (holding.size > 0) return;
    clearInterval(clock);
    clock = undefined;
  }

  return {
    take(timed, limitMs) {
      if (timed.usedMs() < timed.heldMs) return undefined;
      // Calls that come together take one share.
      timed.asking ??= ask(timed, limitMs);
      return timed.asking;
    },
    // Not at once: each call would write to the store by itself.
    settle: (timed) => void (timed.usedMs() > timed.heldMs && hold(timed)),
    async release() {
      clearInterval(clock);
      const left = [...holding];
      holding.clear();
      await Promise.all(left.map((timed) => settleShare(timed, shared)));
    },
  };
}

/** Reports overuse; returns unused time, unless something runs. */
function settleShare(timed: Timed, shared: SharedBudgets): Promise<void> | undefined {
  const differenceMs = timed.usedMs() - timed.heldMs;
  if (differenceMs === 0 || (differenceMs < 0 && timed.isRunning())) return undefined;
  timed.heldMs += differenceMs;
  return shared.addTime(timed.key, differenceMs).then(
    () => undefined,
    () => {
      timed.heldMs -= differenceMs;
    },
  );
}
