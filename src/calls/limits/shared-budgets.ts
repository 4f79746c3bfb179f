import type { Cost } from "../../model/calls/call.ts";
import type { JsonObject } from "../../model/json.ts";
import { rest } from "./purse.ts";
import type { SharedCounts } from "./shared-counts.ts";

/** What nobody has added to for so long begins anew. */
const keptMs = 24 * 3_600_000;
/** A plane takes so much of a conversation's time at once, though never more than a quarter of what is left. */
const shareMs = 5_000;
const minMs = 250;

/** `takenMs` are used, or in the hands of planes. */
export type SharedBudget = { takenMs: number; cost: Record<string, number> };

const nothing: SharedBudget = { takenMs: 0, cost: {} };

/** What conversations and personas have used on all planes on one store. */
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
    /** Tells of time that was used beyond what was taken, and takes more. `gotMs` is 0 when there is none. */
    takeTime: (key: string, overMs: number, limitMs: number): Promise<{ gotMs: number; takenMs: number }> =>
      step(key, ({ takenMs: before, cost }) => {
        const left = limitMs - before - overMs;
        const gotMs = left <= 0 ? 0 : Math.min(left, Math.max(minMs, Math.min(shareMs, left / 4)));
        const takenMs = before + overMs + gotMs;
        return { budget: { takenMs, cost }, answer: { gotMs, takenMs } };
      }),
    /** Tells of time that was used beyond what was taken, or gives back what was not used. */
    addTime: (key: string, ms: number): Promise<null> =>
      step(key, ({ takenMs, cost }) => ({
        budget: { takenMs: Math.max(0, takenMs + ms), cost },
        answer: null,
      })),
    /** Null when it was paid, otherwise what is spent already. A `limit` of null is none. */
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
