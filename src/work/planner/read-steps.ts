import { isObject, type JsonObject } from "../../model/json.ts";
import type { PlacedStep, PlanProblem, ReadPlan } from "../../model/tool-plan.ts";
import { elementLines, lineAt } from "./element-lines.ts";

/** A plan as JSON: `{task?, steps: [{tool, arguments?, why?, dependsOn?}]}`, or the steps alone. */
export function readSteps(text: string): ReadPlan {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    const position = Number(/at position (\d+)/.exec((thrown as Error).message)?.[1] ?? text.length);
    return unreadable(
      lineAt(text, position),
      "It is no valid JSON.",
      "Compare the brackets and quotes there.",
    );
  }
  const given = isObject(value) ? value.steps : value;
  if (!Array.isArray(given))
    return unreadable(
      1,
      "There is no list of steps in it.",
      `Write {"steps": [{"tool": "NAME", "arguments": {…}}]}.`,
    );
  const lines = elementLines(text, isObject(value) ? "steps" : null);
  const steps: PlacedStep[] = [];
  const problems: PlanProblem[] = [];
  for (const [at, step] of given.entries()) {
    const read = readStep(step, at + 1, lines[at] ?? 1);
    if ("message" in read) problems.push(read);
    else steps.push(read);
  }
  return { task: isObject(value) && typeof value.task === "string" ? value.task : null, steps, problems };
}

function readStep(step: unknown, number: number, line: number): PlacedStep | PlanProblem {
  const { tool, arguments: args = {}, why = "", dependsOn } = isObject(step) ? step : {};
  const wrong = (message: string, hint: string): PlanProblem => ({
    ...{ line, tool: typeof tool === "string" ? tool : null, message: `Step ${number} ${message}.`, hint },
  });
  if (typeof tool !== "string" || tool.trim() === "" || tool.includes("\0"))
    return wrong("names no tool", `Write {"tool": "NAME", "arguments": {…}}.`);
  if (!isObject(args))
    return wrong("has arguments that are no object", `Write "arguments": {"key": "value"}.`);
  const placed = { line, tool, arguments: args as JsonObject, why: typeof why === "string" ? why : "" };
  if (dependsOn === undefined || dependsOn === null) return placed;
  const isEarlier = (one: unknown) =>
    Number.isInteger(one) && (one as number) >= 1 && (one as number) < number;
  if (!Array.isArray(dependsOn) || !dependsOn.every(isEarlier))
    return wrong(
      "depends on something that is not done before it",
      "Name earlier steps by their numbers, from 1 on.",
    );
  return { ...placed, dependsOn: dependsOn as number[] };
}

function unreadable(line: number, message: string, hint: string): ReadPlan {
  return { task: null, steps: [], problems: [{ line, tool: null, message, hint }] };
}
