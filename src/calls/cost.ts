import type { Attempt, Cost } from "../model/calls/call.ts";
import type { Tool } from "../model/catalogue/tool.ts";

/** What so many attempts cost by the word of the manifest; undefined where it does not say. */
export function costOf({ metadata }: Tool, attempts: number): Cost | undefined {
  const { cost_per_call: each, cost_unit: unit = "units" } = metadata;
  if (each === undefined) return undefined;
  return { amount: Math.round(each * attempts * 1e9) / 1e9, unit };
}

/** As a part of what is told of a call. Only what a provider saw, or may have seen, costs anything. */
export function costField(tool: Tool | undefined, attempts: readonly Attempt[]): { cost?: Cost } {
  const seen = attempts.filter(({ sent }) => sent !== false).length;
  const cost = tool === undefined || attempts.length === 0 ? undefined : costOf(tool, seen);
  return cost === undefined ? {} : { cost };
}
