import type { AgentLimits } from "@toolplane/core/model/agent";
import type { AgentStyle } from "@toolplane/core/model/agent/agent-run";

import { PlaneError } from "@toolplane/core/model/errors";

/** How far a run may go; infinite where there is no limit. */
export type Budget = { turns: number; calls: number; tokens: number; timeMs: number };

export type Spent = { turns: number; calls: number; tokens: number };

const defaultTurns: Record<AgentStyle, number> = {
  tools: 5,
  react: 10,
  code: 10,
  // For all parts of the question together.
  "plan-then-execute": 20,
  supervisor: 20,
  auto: 20,
};
const defaultCalls = 100;
const defaultTimeMs = 300_000;

/** What the run says counts before what its toolset says. */
export function budgetOf(
  limits: AgentLimits,
  style: AgentStyle,
  toolsetTurns: number | null,
): Budget {
  const { maxTurns, maxCalls, maxTokens, timeoutMs } = limits;
  const timeMs = requireLimit("timeoutMs", timeoutMs, 0) ?? defaultTimeMs;
  return {
    turns: requireLimit("maxTurns", maxTurns, 1) ?? toolsetTurns ?? defaultTurns[style],
    calls: requireLimit("maxCalls", maxCalls, 1) ?? defaultCalls,
    tokens: requireLimit("maxTokens", maxTokens, 1) ?? Number.POSITIVE_INFINITY,
    timeMs,
  };
}

function requireLimit(name: string, value: unknown, min: number): number | undefined {
  if (value === undefined) return undefined;
  if (Number.isSafeInteger(value) && (value as number) >= min) return value as number;
  throw new PlaneError("USAGE", `'${name}' must be an integer >= ${min}, not '${String(value)}'.`);
}

/** What is used up, in words that go on after "Not run:"; null while there is something left. */
export function usedUp(
  { turns, calls, tokens }: Budget,
  spent: Spent,
): { outcome: "max-iterations" | "budget"; why: string } | null {
  if (spent.turns >= turns)
    return {
      outcome: "max-iterations",
      why: "the maximum number of tool-calling turns is reached",
    };
  if (spent.calls >= calls)
    return { outcome: "budget", why: `this run has made its ${calls} calls` };
  if (spent.tokens >= tokens)
    return { outcome: "budget", why: `this run has used its ${tokens} tokens (${spent.tokens})` };
  return null;
}
