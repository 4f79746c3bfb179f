import type { JsonObject } from "../json.ts";
import type { Verdict } from "./call.ts";

/** One call of a plan. */
export type PlanStep = {
  tool: string;
  arguments: JsonObject;
  why: string;
  /** Steps that have to be done before it, counted from 1. */
  dependsOn?: number[];
};

/** Calls in order; what a planner makes of a task. */
export type ToolPlan = { task: string; steps: PlanStep[] };

/** Where in a text a step is, the first line being 1. */
export type PlacedStep = PlanStep & {
  line: number;
  /** Arguments that were written as `key=value`: the tool's schema says what they are. */
  texts?: string[];
};

/** What is wrong with a plan, and where. */
export type PlanProblem = { line: number; tool: string | null; message: string; hint: string | null };

/** What a text says should be called, and what of it could not be read. */
export type ReadPlan = { task: string | null; steps: PlacedStep[]; problems: PlanProblem[] };

/** A step of a plan and what the policy says about it. */
export type CheckedStep = Omit<PlacedStep, "texts"> & {
  /** What the policy says; null where it was not asked because something else is wrong. */
  verdict: Verdict["verdict"] | null;
};

/** What is wrong with a plan, before anything of it runs. */
export type PlanCheck = { ok: boolean; task: string | null; steps: CheckedStep[]; problems: PlanProblem[] };
