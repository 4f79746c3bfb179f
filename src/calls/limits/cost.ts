import type { Attempt, Cost } from "../../model/calls/call.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import type { Budgets } from "../../model/config/config.ts";

/** Undefined where the manifest has no price. */
export function costOf({ metadata }: Tool, attempts: number): Cost | undefined {
  const { cost_per_call: each, cost_unit: unit = "units" } = metadata;
  if (each === undefined) return undefined;
  return { amount: Math.round(each * attempts * 1e9) / 1e9, unit };
}

/** Only what a provider saw, or may have seen, costs anything. */
export function costField(tool: Tool | undefined, attempts: readonly Attempt[]): { cost?: Cost } {
  const seen = attempts.filter(({ sent }) => sent !== false).length;
  const cost = tool === undefined || attempts.length === 0 ? undefined : costOf(tool, seen);
  return cost === undefined ? {} : { cost };
}

export const rest = 1e-9;

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

/** A number limits every unit; unnamed units have no limit. */
export function limitIn(unit: string, maxCost: Budgets["maxCost"]): number | null {
  if (maxCost === null || typeof maxCost === "number") return maxCost;
  return Object.hasOwn(maxCost, unit) ? (maxCost[unit] ?? null) : null;
}
