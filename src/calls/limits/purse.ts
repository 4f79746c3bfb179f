import type { Cost } from "../../model/calls/call.ts";
import type { Budgets } from "../../model/config/config.ts";

/** What adding fractions leaves over. */
export const rest = 1e-9;

/** What was spent, each unit on its own. */
export type CostLedger = {
  add(cost: Cost): void;
  spent(unit: string): number;
  all(): Record<string, number>;
};

export function createCostLedger(): CostLedger {
  const spent = new Map<string, number>();
  return {
    add({ amount, unit }) {
      const sum = Math.round(((spent.get(unit) ?? 0) + amount) * 1e9) / 1e9;
      if (sum === 0) spent.delete(unit);
      else spent.set(unit, sum);
    },
    spent: (unit) => spent.get(unit) ?? 0,
    all: () => Object.fromEntries(spent),
  };
}

/** A number limits every unit on its own; units that are not named have no limit. */
export function limitIn(unit: string, maxCost: Budgets["maxCost"]): number | null {
  if (maxCost === null || typeof maxCost === "number") return maxCost;
  return Object.hasOwn(maxCost, unit) ? (maxCost[unit] ?? null) : null;
}
