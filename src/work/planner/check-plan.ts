import { type CheckArguments, type Lookup, requestCall, requireGrant, validate } from "../../calls/calls.ts";
import type { PlaneQuality } from "../../catalogue/catalogue.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { typedMembers } from "../../lib/text/typed-text.ts";
import type { Grants } from "../../model/access/grants.ts";
import type { CheckedStep, PlacedStep, PlanCheck, PlanProblem, ReadPlan } from "../../model/calls/tool-plan.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import type { PlanePolicy } from "../../model/plane-access.ts";
import { type Face, type Principal, requireScope } from "../../model/principal.ts";
import type { ToolPlanVerbs } from "../verbs.ts";
import { readPlan } from "./read-plan.ts";

export type PlannerParts = {
  find: Pick<Lookup, "toShow">;
  grants: Pick<Grants, "grantFor">;
  quality: Pick<PlaneQuality, "requireTrusted">;
  checkArguments: CheckArguments;
  testPolicy: PlanePolicy["test"];
  defaultPrincipal: Principal;
};

/** Checks plans without calling their steps: nothing runs and nothing is recorded. */
export function createPlanner(parts: PlannerParts): ToolPlanVerbs {
  const { find, grants, quality, checkArguments, testPolicy, defaultPrincipal } = parts;
  const lookFor =
    (principal: Principal, face: Face): LookAtStep =>
    async (asked, given, texts) => {
      const tool = await quality.requireTrusted(await find.toShow(asked, principal), true);
      const args = typedMembers(given, texts, tool.parameters) as JsonObject;
      const grant = requireGrant(principal, tool, grants.grantFor, { arguments: args });
      const requested = requestCall(asked, args, { principal, face }, defaultPrincipal);
      const { input } = await validate({ ...requested, tool, grant }, checkArguments);
      const { verdict, reason } = await testPolicy(tool.id, input.arguments, { principal, face });
      const declared = declaredBy(tool);
      const dropped = input.dropped.map((name) => ({ name, meant: nearest(name, declared, 1)[0] }));
      return { name: tool.name, arguments: args, dropped, verdict, reason };
    };
  return {
    async checkPlan(text, { principal = defaultPrincipal, face = "library" } = {}) {
      requireScope(principal, "read", "check plans");
      if (typeof text !== "string") throw new PlaneError("USAGE", "A plan is a text: a script, or its steps as JSON.");
      return checkPlan(readPlan(text), lookFor(principal, face));
    },
  };
}

function declaredBy({ parameters }: Tool): string[] {
  return isObject(parameters.properties) ? Object.keys(parameters.properties) : [];
}

type StepFacts = {
  /** As the catalogue calls it. */
  name: string;
  /** With every `key=value` as the value that the tool takes. */
  arguments?: JsonObject;
  /** Arguments that would be left out, each with the one that was probably meant. */
  dropped: { name: string; meant: string | undefined }[];
  verdict: Exclude<CheckedStep["verdict"], null>;
  reason: string;
};

/** Tells what would become of a call, or throws the PlaneError that it would end with. */
export type LookAtStep = (tool: string, args: JsonObject, texts: readonly string[]) => Promise<StepFacts>;

/** Every problem of every step, in the order of the lines. */
export async function checkPlan({ task, steps, problems }: ReadPlan, look: LookAtStep): Promise<PlanCheck> {
  // In parallel: unknown names make servers list their tools, and once is enough.
  const looked = await Promise.all(steps.map((step) => checkStep(step, look)));
  const checked = steps.map(({ texts: _, ...step }, at) => ({
    ...step,
    arguments: looked[at]?.arguments ?? step.arguments,
    verdict: looked[at]?.verdict ?? null,
  }));
  const found = [...problems, ...looked.flatMap(({ wrong }) => wrong)];
  found.sort((a, b) => a.line - b.line);
  return { ok: found.length === 0, task, steps: checked, problems: found };
}

async function checkStep(
  step: PlacedStep,
  look: LookAtStep,
): Promise<{ arguments?: JsonObject; verdict: CheckedStep["verdict"]; wrong: PlanProblem[] }> {
  const { line, tool } = step;
  try {
    const { name, arguments: args, dropped, verdict, reason } = await look(tool, step.arguments, step.texts ?? []);
    const wrong = dropped.map((one) => ({
      ...{ line, tool, message: `'${name}' takes no argument '${one.name}'.` },
      hint:
        one.meant === undefined ? `See what it takes: toolplane tools show ${name}` : `Did you mean '${one.meant}'?`,
    }));
    if (verdict === "deny")
      wrong.push({
        line,
        tool,
        message: `'${name}' would be refused: ${reason}.`,
        hint: "See why: toolplane policy test",
      });
    return { ...(args === undefined ? {} : { arguments: args }), verdict, wrong };
  } catch (thrown) {
    if (!(thrown instanceof PlaneError)) throw thrown;
    return { verdict: null, wrong: problemsOf(thrown, step) };
  }
}

const remedies: Partial<Record<PlaneError["code"], string>> = {
  TOOL_NOT_FOUND: "See what there is: toolplane tools list",
  FORBIDDEN: "Leave it out, or ask the administrator of this plane for it.",
};

/** Arguments are told one by one; everything else is one sentence with its remedy. */
function problemsOf({ code, message, data }: PlaneError, { line, tool }: PlacedStep): PlanProblem[] {
  if (code !== "INVALID_ARGUMENTS" || !Array.isArray(data.problems)) {
    const { said, hint } = splitHint(message);
    return [{ line, tool, message: said, hint: hint ?? remedies[code] ?? null }];
  }
  const takes = /It takes: .*$/s.exec(message)?.[0] ?? null;
  const misspelt = /Misspelt\? [^.]*\./.exec(message)?.[0];
  const hint = [misspelt, takes].filter((part) => typeof part === "string").join(" ") || null;
  return data.problems.filter(isObject).map((wrong) => ({
    line,
    tool,
    message: renderArgument(String(wrong.path), String(wrong.message)),
    hint,
  }));
}

function renderArgument(path: string, message: string): string {
  const missing = /^(?:is )?missing ('.*')$/s.exec(message)?.[1];
  if (missing !== undefined) return `The argument ${missing} is missing${path === "" ? "" : ` in ${path}`}.`;
  return path === "" ? `Its arguments ${message}.` : `The argument ${path} ${message}.`;
}

/** The first sentence says what is wrong, the rest what can be done. */
function splitHint(message: string): { said: string; hint: string | null } {
  const end = /[.?!]\s+(?=[A-Z])/.exec(message);
  if (end === null) return { said: message, hint: null };
  return { said: message.slice(0, end.index + 1), hint: message.slice(end.index + end[0].length) };
}
