import type { JsonObject } from "../json.ts";
import type { Verdict } from "./call-schema.ts";

/** A call of a plan. */
export type PlanStep = {
  tool: string;
  arguments: JsonObject;
  why: string;
  dependsOn?: number[];
};

export type ToolPlan = { task: string; steps: PlanStep[] };

/** Lines count from 1. */
export type PlacedStep = PlanStep & {
  line: number;
  /** Written as `key=value`: the tool's schema decides their types. */
  texts?: string[];
};

/** A problem of a plan, and its place. */
export type PlanProblem = {
  line: number;
  tool: string | null;
  message: string;
  hint: string | null;
};

/** The calls of a text, and what could not be read. */
export type ReadPlan = { task: string | null; steps: PlacedStep[]; problems: PlanProblem[] };

/** A step and its verdict. */
export type CheckedStep = Omit<PlacedStep, "texts"> & {
  /** Null where the step has another problem. */
  verdict: Verdict["verdict"] | null;
};

/** The check of a plan before it runs. */
export type PlanCheck = {
  ok: boolean;
  task: string | null;
  steps: CheckedStep[];
  problems: PlanProblem[];
};
