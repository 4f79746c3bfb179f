import { readPlan } from "../../packages/work/src/planner/read-plan.ts";
import type { PlanProblem, PlanStep } from "../../src/model/calls/tool-plan.ts";
import { callName, type KnownServer } from "./inventory.ts";

export type ReadAnswer = { steps: PlanStep[]; problems: PlanProblem[] };

const fence = /^[ \t]*```[^\n]*\n(.*?)^[ \t]*```/gms;

/** The steps in what a model answered: as JSON, or as a script, whatever it wrote around them. */
export function readAnswer(text: string, servers: readonly KnownServer[]): ReadAnswer {
  const readings = candidates(text).map(readPlan);
  const best = readings.find(({ problems }) => problems.length === 0) ?? maxSteps(readings);
  return {
    steps: best.steps.map(({ line: _, tool, ...step }) => ({
      ...step,
      tool: callName(servers, tool),
    })),
    problems: best.problems,
  };
}

/** Fenced parts first, then the JSON in the middle of words, then all of it. */
function candidates(text: string): string[] {
  const fenced = [...text.matchAll(fence)].map(([, inner = ""]) => inner);
  const object = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
  return [...fenced, ...(object.includes('"steps"') ? [object] : []), text];
}

function maxSteps(readings: readonly ReturnType<typeof readPlan>[]): ReturnType<typeof readPlan> {
  return readings.reduce((best, one) => (one.steps.length > best.steps.length ? one : best));
}
