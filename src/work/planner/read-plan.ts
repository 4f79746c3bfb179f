import { isTooDeep } from "../../lib/is-too-deep.ts";
import type { ReadPlan } from "../../model/tool-plan.ts";
import { readScript } from "./read-script.ts";
import { readSteps } from "./read-steps.ts";

const longest = 1_000_000;
const maxSteps = 500;

/** What a plan says, be it a script or JSON. */
export function readPlan(text: string): ReadPlan {
  if (text.length > longest)
    return nothing(
      `It has ${text.length} characters, and a plan may have ${longest}.`,
      "Split it into several plans.",
    );
  const plan = /^\s*[[{]/.test(text) ? readSteps(text) : readScript(text);
  if (plan.steps.length > maxSteps)
    return nothing(
      `It has ${plan.steps.length} steps, and a plan may have ${maxSteps}.`,
      "Split it into several plans.",
    );
  if (plan.steps.length === 0 && plan.problems.length === 0)
    return {
      ...plan,
      problems: [
        {
          line: 1,
          tool: null,
          message: "There is no step in it.",
          hint: "Write toolplane call NAME --args '{…}', one a line.",
        },
      ],
    };
  const deep = plan.steps.find((step) => isTooDeep(step.arguments));
  if (deep === undefined) return plan;
  const { line, tool } = deep;
  const hint = "Write them with fewer brackets inside of each other.";
  return {
    ...plan,
    steps: [],
    problems: [{ line, tool, message: "Its arguments are nested too deeply.", hint }],
  };
}

function nothing(message: string, hint: string): ReadPlan {
  return { task: null, steps: [], problems: [{ line: 1, tool: null, message, hint }] };
}
