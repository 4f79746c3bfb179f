import type { Attempt, Cost } from "../../model/calls/call-schema.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import type { Budgets } from "../../model/config/config.ts";

/** What sums of fractions may be off. */
export const tolerance = 1e-9;

/** Without rests of fractions. */
export function roundedCost(amount: number): number {
  return Math.round(amount * 1e9) / 1e9;
}

/** Undefined where the manifest has no price. */
export function costOf({ metadata }: Tool, attempts: number): Cost | undefined {
  const { cost_per_call: price, cost_unit: unit = "units" } = metadata;
  if (price === undefined) return undefined;
  return { amount: roundedCost(price * attempts), unit };
}

/** Only what a provider saw, or may have seen, costs anything. */
export function costField(tool: Tool | undefined, attempts: readonly Attempt[]): { cost?: Cost } {
  if (tool === undefined || attempts.length === 0) return {};
  const cost = costOf(tool, attempts.filter(({ sent }) => sent !== false).length);
  return cost === undefined ? {} : { cost };
}

/** A number limits every unit; unnamed units have no limit. */
export function limitIn(unit: string, maxCost: Budgets["maxCost"]): number | null {
  if (maxCost === null || typeof maxCost === "number") return maxCost;
  if (!Object.hasOwn(maxCost, unit)) return null;
  return maxCost[unit] ?? null;
}
