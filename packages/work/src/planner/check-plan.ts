import { type ArgumentProblem, requestCall, requireGrant, validate } from "@toolplane/core/calls";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { nearest } from "@toolplane/core/lib/text/nearest";
import { typedMembers } from "@toolplane/core/lib/text/typed-text";
import type {
  CheckedStep,
  PlacedStep,
  PlanCheck,
  PlanProblem,
  ReadPlan,
} from "@toolplane/core/model/calls/tool-plan";
import { PlaneError } from "@toolplane/core/model/errors";
import { type JsonObject, objectOrEmpty } from "@toolplane/core/model/json";
import { type Face, type Principal, requireScope } from "@toolplane/core/model/principal";
import type { PlannerParts, ToolPlanVerbs } from "@toolplane/core/work";
import { readPlan } from "./read-plan.ts";

/** Checks plans without calling their steps: nothing runs and nothing is recorded. */
export function createPlanner(parts: PlannerParts): ToolPlanVerbs {
  const { find, grants, quality, checkArguments, testPolicy } = parts;
  const createLookAtStep =
    (principal: Principal, face: Face): LookAtStep =>
    async (toolName, writtenArguments, textNames) => {
      const visibleTool = await find.visibleTool(toolName, principal);
      const tool = await quality.requireTrusted(visibleTool, { mayUse: true });
      const args = typedMembers(writtenArguments, textNames, tool.parameters) as JsonObject;
      const grant = requireGrant(principal, tool, grants.grantFor, { arguments: args });
      const requested = requestCall(toolName, args, { principal, face });
      const { input } = await validate({ ...requested, tool, grant }, checkArguments);
      // A policy sees defaults, too; the plan shows only what it was written with.
      const withDefaults = input.arguments;
      const { verdict, reason } = await testPolicy(tool.id, withDefaults, { principal, face });
      const declared = Object.keys(objectOrEmpty(tool.parameters.properties));
      const dropped = input.dropped.map((name) => ({ name, meant: nearest(name, declared, 1)[0] }));
      return { name: tool.name, arguments: args, dropped, verdict, reason };
    };
  return {
    async check(text, { principal, face = "library" }) {
      requireScope(principal, "read", "check plans");
      if (typeof text !== "string")
        throw new PlaneError("USAGE", "A plan is a text: a script, or its steps as JSON.");
      return checkPlan(readPlan(text), createLookAtStep(principal, face));
    },
  };
}

type StepFacts = {
  name: string;
  /** With each `key=value` in the type that the tool takes. */
  arguments?: JsonObject;
  /** Arguments that would be left out, each with its nearest declared name. */
  dropped: { name: string; meant: string | undefined }[];
  verdict: Exclude<CheckedStep["verdict"], null>;
  reason: string;
};

/** Throws the PlaneError that the call would end with. */
export type LookAtStep = (
  tool: string,
  args: JsonObject,
  /** The arguments that were written as `key=value`, so that the tool decides on their type. */
  textNames: readonly string[],
) => Promise<StepFacts>;

/** Every problem of every step, in the order of the lines. */
export async function checkPlan(
  { task, steps, problems }: ReadPlan,
  lookAtStep: LookAtStep,
): Promise<PlanCheck> {
  // In parallel: unknown names make servers list their tools, and once is enough.
  const lookedAtSteps = await Promise.all(steps.map((step) => checkStep(step, lookAtStep)));
  const checked = steps.map(({ texts: _, ...step }, index) => ({
    ...step,
    arguments: lookedAtSteps[index]?.arguments ?? step.arguments,
    verdict: lookedAtSteps[index]?.verdict ?? null,
  }));
  const allProblems = [...problems, ...lookedAtSteps.flatMap((step) => step.problems)];
  allProblems.sort((a, b) => a.line - b.line);
  return { ok: allProblems.length === 0, task, steps: checked, problems: allProblems };
}

type LookedAtStep = {
  arguments?: JsonObject;
  verdict: CheckedStep["verdict"];
  problems: PlanProblem[];
};

async function checkStep(step: PlacedStep, lookAtStep: LookAtStep): Promise<LookedAtStep> {
  const { line, tool } = step;
  try {
    const facts = await lookAtStep(tool, step.arguments, step.texts ?? []);
    const { name, dropped, verdict, reason, arguments: args } = facts;
    const problems = dropped.map(({ name: unknown, meant }) => {
      const message = `'${name}' takes no argument '${unknown}'.`;
      if (meant !== undefined) return { line, tool, message, hint: `Did you mean '${meant}'?` };
      return { line, tool, message, hint: `See what it takes: toolplane tools show ${name}` };
    });
    const message = `'${name}' would be refused: ${reason}.`;
    if (verdict === "deny")
      problems.push({ line, tool, message, hint: "See why: toolplane policy test" });
    return { ...withoutUndefined({ arguments: args }), verdict, problems };
  } catch (thrown) {
    if (!(thrown instanceof PlaneError)) throw thrown;
    return { verdict: null, problems: problemsOf(thrown, step) };
  }
}

const remedies: Partial<Record<PlaneError["code"], string>> = {
  TOOL_NOT_FOUND: "See what there is: toolplane tools list",
  FORBIDDEN: "Leave it out, or ask the administrator of this plane for it.",
};

/** One problem for each argument; everything else is one sentence with its remedy. */
function problemsOf(
  { code, message, data }: PlaneError,
  { line, tool }: PlacedStep,
): PlanProblem[] {
  const { hint, problems } = data;
  if (code === "INVALID_ARGUMENTS" && Array.isArray(problems))
    return problems.map((problem) => ({
      line,
      tool,
      message: renderArgument(problem),
      hint: hint ?? null,
    }));
  if (hint === undefined) return [{ line, tool, message, hint: remedies[code] ?? null }];
  return [{ line, tool, message: message.slice(0, message.lastIndexOf(hint)).trimEnd(), hint }];
}

function renderArgument({ path, message, missing }: ArgumentProblem): string {
  if (missing !== undefined)
    return `The argument '${missing}' is missing${path === "" ? "" : ` in ${path}`}.`;
  if (path === "") return `Its arguments ${message}.`;
  return `The argument ${path} ${message}.`;
}
