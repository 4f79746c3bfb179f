import { plainText } from "../../lib/text/plain-text.ts";
import type { Outcome } from "../../model/calls/call.ts";
import type { PlacedStep, PlanCheck } from "../../model/calls/tool-plan.ts";
import type { Plane, PlaneCallOptions } from "../../model/plane.ts";
import { answerQuestions, canBeAsked } from "./answer-questions.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { print, printJson, say } from "./output.ts";
import { exitCodeOf, printOutcome, sayWhatWaits } from "./print-outcome.ts";
import { readPlanFile } from "./read-plan-file.ts";
import { renderCheck, renderPlanProblem, renderTried, type TriedStep } from "./tool-plan-view.ts";
import { withPlane } from "./with-plane.ts";

type RunOptions = GlobalOptions & { dryRun?: boolean; yes?: boolean };

/** Looks at all of it first: a plan that fails half way is worse than one that does not begin. */
export async function runPlan(cli: Cli, path: string, options: RunOptions): Promise<number> {
  const text = await readPlanFile(path);
  const asks = !options.json && !options.dryRun && path !== "-" && canBeAsked();
  const work = async (plane: Plane, signal: AbortSignal) => {
    using _answering = asks ? answerQuestions(plane) : undefined;
    const check = await plane.plans.check(text, { face: "cli" });
    if (options.dryRun) return tryPlan(plane, path, check, options, signal);
    if (check.ok) return runSteps(plane, check, { ...options, asks }, signal);
    if (options.json) printJson({ ok: false, dryRun: false, steps: [], problems: check.problems });
    else print(renderCheck(path, check));
    if (!options.json) say("Nothing was run.");
    return 1;
  };
  return withPlane(cli, options, work, { answersQuestions: asks });
}

/** Every step as far as the policy, whatever becomes of the others. */
async function tryPlan(
  plane: Plane,
  path: string,
  { steps, problems }: PlanCheck,
  { json }: RunOptions,
  signal: AbortSignal,
): Promise<number> {
  const tried: TriedStep[] = [];
  for (const step of steps)
    tried.push({
      line: step.line,
      tool: step.tool,
      outcome: await callStep(plane, step, { signal, dryRun: true }),
    });
  const ok = problems.length === 0 && tried.every(({ outcome }) => outcome.ok);
  if (json) printJson({ ok, dryRun: true, steps: tried, problems });
  else {
    if (tried.length > 0) print(renderTried(tried));
    for (const problem of problems) print(renderPlanProblem(path, problem));
  }
  return ok ? 0 : 1;
}

async function runSteps(
  plane: Plane,
  { steps }: PlanCheck,
  { json, yes, asks }: RunOptions & { asks: boolean },
  signal: AbortSignal,
): Promise<number> {
  const done: TriedStep[] = [];
  for (const [at, step] of steps.entries()) {
    if (!json) say(`${at + 1}. ${plainText(step.tool)}`);
    const first = await callStep(plane, step, { signal, ...(yes ? { consent: true } : {}) });
    const outcome =
      asks && first.approval ? await (await import("./approval-prompt.ts")).answerHere(plane, first) : first;
    done.push({ line: step.line, tool: step.tool, outcome });
    if (!json) printOutcome(outcome);
    if (!json) await sayWhatWaits(plane, outcome);
    if (!outcome.ok) break;
  }
  const last = done.at(-1)?.outcome;
  const left = steps.length - done.length;
  if (json) printJson({ ok: last?.ok ?? true, dryRun: false, steps: done, problems: [] });
  else if (left > 0) say(`Stopped at step ${done.length} of ${steps.length}; what comes after it was not run.`);
  return last === undefined ? 0 : exitCodeOf(last);
}

function callStep(plane: Plane, { tool, arguments: args }: PlacedStep, options: PlaneCallOptions): Promise<Outcome> {
  return plane.call(tool, args, { face: "cli", ...options });
}
