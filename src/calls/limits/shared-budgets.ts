import type { JsonObject } from "../../model/json.ts";
import type { SharedStep } from "../../model/store.ts";
import { roundedCost } from "./cost.ts";
import { createCostLeases } from "./cost-leases.ts";

/** Shared by all planes on one store. Rejects while the store is unreachable. */
export type SharedCounts = {
  read(key: string): Promise<unknown>;
  change<T>(key: string, keptMs: number, step: SharedStep<T>): Promise<T>;
};

/** An unused budget is forgotten after this. */
const expiryMs = 24 * 3_600_000;
/** Time that a plane takes at once, at most a quarter of the rest. */
const shareMs = 5_000;
const minMs = 250;

/** `takenMs` are used, or held by planes. */
type SharedBudget = { takenMs: number; cost: Record<string, number> };

function keyOf(key: string) {
  return `budget:${key}`;
}

function budgetIn(value: unknown): SharedBudget {
  const { takenMs = 0, cost = {} } = (value ?? {}) as Partial<SharedBudget>;
  return { takenMs, cost: { ...cost } };
}

export type SharedBudgets = ReturnType<typeof createSharedBudgets>;

export function createSharedBudgets(shared: SharedCounts) {
  /** `change` works on the budget in place. */
  function step<T>(key: string, change: (budget: SharedBudget) => T) {
    return shared.change(keyOf(key), expiryMs, (value) => {
      const budget = budgetIn(value);
      return { answer: change(budget), value: budget as JsonObject };
    });
  }

  const costs = createCostLeases((key, change) => step(key, (budget) => change(budget.cost)));

  return {
    /** Without what this plane has leased and not spent. */
    async read(key: string): Promise<SharedBudget> {
      await costs.written();
      const budget = budgetIn(await shared.read(keyOf(key)));
      for (const [unit, unused] of Object.entries(costs.unused(key)))
        budget.cost[unit] = roundedCost((budget.cost[unit] ?? 0) - unused);
      return budget;
    },
    /** Reports overuse and takes more. `gotMs` is 0 when there is none. */
    takeTime: (key: string, overMs: number, limitMs: number) =>
      step(key, (budget) => {
        const gotMs = timeShare(limitMs - budget.takenMs - overMs);
        budget.takenMs += overMs + gotMs;
        return { gotMs, takenMs: budget.takenMs };
      }),
    /** Reports overuse, or returns unused time. */
    addTime: (key: string, ms: number) =>
      step(key, (budget) => {
        budget.takenMs = Math.max(0, budget.takenMs + ms);
      }),
    pay: costs.pay,
    forget(key: string) {
      costs.forget(key);
      return shared.change(keyOf(key), expiryMs, () => ({ value: null, answer: null }));
    },
    /** Gives back what is leased and not spent. */
    release: costs.release,
  };
}

/** At most a quarter of what remains. */
function timeShare(remainingMs: number): number {
  if (remainingMs <= 0) return 0;
  return Math.min(remainingMs, Math.max(minMs, Math.min(shareMs, remainingMs / 4)));
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

/** Time is taken in shares, so that a call seldom waits for the store. */
export function createTimeShares(shared: SharedBudgets) {
  const holders = new Set<Timed>();
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
    holders.add(timed);
    clock ??= setInterval(settleShares, lookMs).unref();
  }

  function settleShares(): void {
    for (const timed of holders) {
      if (!timed.asking) void settleShare(timed, shared);
      if (!timed.isRunning()) holders.delete(timed);
    }
    if (holders.size > 0) return;
    clearInterval(clock);
    clock = undefined;
  }

  return {
    /** Undefined while there is time in hand. Null when more was got, otherwise what all have taken. */
    take(timed: Timed, limitMs: number): Promise<number | null> | undefined {
      if (timed.usedMs() < timed.heldMs) return undefined;
      // Calls that come together take one share.
      timed.asking ??= ask(timed, limitMs);
      return timed.asking;
    },
    /** Not at once: each call would write to the store by itself. */
    settle(timed: Timed): void {
      if (timed.usedMs() > timed.heldMs) hold(timed);
    },
    async release(): Promise<void> {
      clearInterval(clock);
      const unsettled = [...holders];
      holders.clear();
      await Promise.all(unsettled.map((timed) => settleShare(timed, shared)));
    },
  };
}

/** Reports overuse; returns unused time, unless something runs. */
async function settleShare(timed: Timed, shared: SharedBudgets): Promise<void> {
  const differenceMs = timed.usedMs() - timed.heldMs;
  if (differenceMs === 0 || (differenceMs < 0 && timed.isRunning())) return;
  timed.heldMs += differenceMs;
  await shared.addTime(timed.key, differenceMs).catch(() => {
    timed.heldMs -= differenceMs;
  });
}
