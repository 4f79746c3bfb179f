import type { AskHere } from "../calls/held-call.ts";
import type { AbortSignal } from "../platform.ts";
import type { Caller } from "../principal.ts";

export const stepStates = [
  "planned",
  "running",
  "succeeded",
  "failed",
  "cancelled",
  "skipped",
] as const;
export type StepState = (typeof stepStates)[number];

/** What keeps a skill from running; `server` where a tool is only unavailable now. */
export type NotReady = {
  kind: "tool" | "server" | "capability" | "policy" | "skill" | "task" | "input" | "model";
  name: string;
  reason: string;
};

export const skillOutcomes = ["planned", "completed", "failed", "cancelled"] as const;
/** How a skill's run ended. */
export type SkillOutcome = (typeof skillOutcomes)[number];

/** Options of a skill's run. */
export type RunSkillOptions = Caller & {
  signal?: AbortSignal;
  /** Returns the plan, or why it cannot run. */
  dryRun?: boolean;
  /** Default: one of its own. */
  conversation?: string;
  /** How long to wait for an approval. */
  approvalWaitMs?: number;
  consent?: boolean;
  askHere?: AskHere;
  /** For skills that a model follows. */
  model?: string;
};
