import type { AskHere } from "../calls/held-call.ts";
import type { ErrorReport } from "../errors.ts";
import type { Json } from "../json.ts";
import type { AbortSignal } from "../platform.ts";
import type { Caller } from "../principal.ts";

export const stepStates = ["planned", "running", "succeeded", "failed", "cancelled", "skipped"] as const;
export type StepState = (typeof stepStates)[number];

/** How one call of a plan went, or the agent that took the place of one. */
export type StepRun = {
  skill: string;
  id: string;
  /** Null for an agent. */
  tool: string | null;
  state: StepState;
  /** The record of the call, or the run of the agent. */
  record: string | null;
  at: string | null;
  durationMs: number | null;
  error: ErrorReport | null;
};

/** What keeps a skill from being run, in words and as data; `server` where a tool only cannot be called right now. */
export type NotReady = {
  kind: "tool" | "server" | "capability" | "policy" | "skill" | "task" | "input" | "model";
  name: string;
  reason: string;
};

export const skillOutcomes = ["planned", "completed", "failed", "cancelled"] as const;
/** How a run of a skill ended. */
export type SkillOutcome = (typeof skillOutcomes)[number];

/** `result` is what the last step said; by the ids of the steps where nothing comes after several of them. */
export type SkillRun = {
  id: string;
  skill: string;
  persona: string | null;
  user: string | null;
  at: string;
  durationMs: number;
  outcome: SkillOutcome;
  steps: StepRun[];
  result: Json;
  error: ErrorReport | null;
};

/** How a skill is run. */
export type RunSkillOptions = Caller & {
  signal?: AbortSignal;
  /** Says what would be done, or why it cannot be, and does nothing. */
  dryRun?: boolean;
  /** A conversation that goes on; without it the run has one of its own. */
  conversation?: string;
  /** Waits so long for a person's yes to a call, where one is needed. */
  approvalWaitMs?: number;
  consent?: boolean;
  askHere?: AskHere;
  /** For skills that a model follows: which one. */
  model?: string;
};
