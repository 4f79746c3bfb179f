import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileErrorText } from "../../../lib/files.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { shellQuote } from "../../../lib/text/shell.ts";
import { countOf } from "../../../lib/text/wording.ts";
import type { Outcome } from "../../../model/calls/call.ts";
import type { PlacedStep, PlanCheck, PlanProblem } from "../../../model/calls/tool-plan.ts";
import { PlaneError } from "../../../model/errors.ts";
import { isObject } from "../../../model/json.ts";
import type { Plane, PlaneCallOptions } from "../../../model/plane.ts";
import type { Cli, GlobalOptions } from "../cli.ts";
import { exitCodeOf, printOutcome, printWaitingCall } from "../terminal/outcome.ts";
import {
  colors,
  joinLines,
  print,
  printJson,
  printStatus,
  renderTable,
  show,
} from "../terminal/output.ts";
import { answerIfAsked, answerQuestions, canBeAsked, typedHere } from "../terminal/questions.ts";
import { withPlane } from "../with-plane.ts";
import { readSource } from "./option-values.ts";

/** 1 when something is wrong. */
export async function checkPlanFile(
  cli: Cli,
  path: string,
  options: GlobalOptions,
): Promise<number> {
  const text = withoutPlaneOptions(await readPlanFile(path), options);
  const check = await withPlane(cli, options, (plane) => plane.plans.check(text, { face: "cli" }));
  show(options, check, () => renderCheck(path, check));
  return check.ok ? 0 : 1;
}

type RunOptions = GlobalOptions & { dryRun?: boolean; yes?: boolean };

/** Looks at all of it first: a plan that fails half way is worse than one that does not begin. */
export async function runPlan(cli: Cli, path: string, options: RunOptions): Promise<number> {
  const text = withoutPlaneOptions(await readPlanFile(path), options);
  const asks = !options.json && !options.dryRun && path !== "-" && canBeAsked();
  const work = async (plane: Plane, signal: AbortSignal) => {
    using _answering = asks ? answerQuestions(plane) : undefined;
    const check = await plane.plans.check(text, { face: "cli" });
    if (options.dryRun) return tryPlan(plane, path, check, options, signal);
    if (check.ok) return runSteps(plane, check, { ...options, asks }, signal);
    show(options, { ok: false, dryRun: false, steps: [], problems: check.problems }, () =>
      renderCheck(path, check),
    );
    if (!options.json) printStatus("Nothing was run.");
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
  for (const step of steps) tried.push(await callStep(plane, step, { signal, dryRun: true }));
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
  const calledSteps: TriedStep[] = [];
  for (const [index, step] of steps.entries()) {
    if (!json) printStatus(`${index + 1}. ${plainText(step.tool)}`);
    const called = await callStep(plane, step, { signal, ...(yes && { consent: true }) });
    const outcome = asks ? await answerIfAsked(plane, called.outcome) : called.outcome;
    calledSteps.push({ ...called, outcome });
    if (!json) printOutcome(outcome);
    if (!json) await printWaitingCall(plane, outcome);
    if (!outcome.ok) break;
  }
  const lastOutcome = calledSteps.at(-1)?.outcome;
  const stepsLeft = steps.length - calledSteps.length;
  if (json)
    printJson({ ok: lastOutcome?.ok ?? true, dryRun: false, steps: calledSteps, problems: [] });
  else if (stepsLeft > 0)
    printStatus(
      `Stopped at step ${calledSteps.length} of ${steps.length}; what comes after it was not run.`,
    );
  return lastOutcome === undefined ? 0 : exitCodeOf(lastOutcome);
}

async function callStep(
  plane: Plane,
  step: PlacedStep,
  options: PlaneCallOptions,
): Promise<TriedStep> {
  const { line, tool, arguments: args } = step;
  return {
    line,
    tool,
    outcome: await plane.call(tool, args, { face: "cli", ...typedHere(), ...options }),
  };
}

type MakeOptions = GlobalOptions & {
  out?: string;
  force?: boolean;
  planner: string;
  timeout: number;
};

const bundledPlanner = "planner.plan_with_tools";
const noPlanner =
  "No planner is configured. Add the one that comes with Toolplane: toolplane servers add planner -- toolplane planner";

export async function makePlanFile(
  cli: Cli,
  taskOption: string,
  options: MakeOptions,
): Promise<number> {
  const task = (taskOption === "-" ? await readSource("-") : taskOption).trim();
  if (task === "")
    throw new PlaneError(
      "USAGE",
      "The task is empty. Say what is to be done: toolplane plan make 'TASK'.",
    );
  const { planner, timeout } = options;
  const work = async (plane: Plane, signal: AbortSignal) => {
    const planned = await plane.call(
      planner,
      { task },
      { face: "cli", signal, ...typedHere(), timeoutMs: timeout * 1000 },
    );
    if (!options.json) await printWaitingCall(plane, planned);
    return withPlaneOptions(plane, planned, options);
  };
  const outcome = await withPlane(cli, options, work);
  if (planner === bundledPlanner && outcome.error?.code === "TOOL_NOT_FOUND")
    throw new PlaneError("TOOL_NOT_FOUND", noPlanner);
  const script = scriptOf(outcome);
  const { out } = options;
  const isSaved = script !== null && out !== undefined;
  const path = isSaved ? save(script, out, options) : null;
  if (options.json) printJson({ ...outcome, ...(path !== null && { path }) });
  else if (script === null) printOutcome(outcome);
  else printScript(outcome, script, path, planeOptions(options));
  return exitCodeOf(outcome);
}

/** The options that name the plane at hand, as a script may have them behind each `toolplane call`. */
function planeOptions({ config = [], envFile = [], dataDir }: GlobalOptions): string {
  const flags = [
    ...config.map((file) => ` --config ${shellQuote(resolve(file))}`),
    ...envFile.map((file) => ` --env-file ${shellQuote(resolve(file))}`),
  ];
  if (dataDir !== undefined) flags.push(` --data-dir ${shellQuote(resolve(dataDir))}`);
  return flags.join("");
}

/** Another place than the one at hand stays, and is a problem: the script would run somewhere else. */
function withoutPlaneOptions(text: string, options: GlobalOptions): string {
  const planeFlags = planeOptions(options);
  if (planeFlags === "") return text;
  return text.replaceAll(`toolplane call${planeFlags} `, "toolplane call ");
}

/** A script made for one configuration names it in every call, so that bash runs it anywhere. */
async function withPlaneOptions(
  plane: Plane,
  outcome: Outcome,
  options: GlobalOptions,
): Promise<Outcome> {
  const planeFlags = planeOptions(options);
  const content = outcome.result?.structuredContent;
  const script = scriptOf(outcome);
  if (script === null || planeFlags === "" || !outcome.result || !isObject(content)) return outcome;
  const calls = new Set(
    (await plane.plans.check(script, { face: "cli" })).steps.map(({ line }) => line),
  );
  const lines = script.split("\n").map((line, index) => {
    if (!calls.has(index + 1)) return line;
    return line.replace(/^(\s*toolplane call) /, (_, call) => `${call}${planeFlags} `);
  });
  return {
    ...outcome,
    result: { ...outcome.result, structuredContent: { ...content, script: lines.join("\n") } },
  };
}

function scriptOf({ result }: Outcome): string | null {
  const content = result?.isError ? undefined : result?.structuredContent;
  return isObject(content) && typeof content.script === "string" ? content.script : null;
}

/** The script alone goes to standard output, so that it can be piped. */
function printScript(
  { result }: Outcome,
  script: string,
  path: string | null,
  planeFlags: string,
): void {
  const content = result?.structuredContent;
  if (isObject(content) && typeof content.results === "string") printStatus(content.results);
  if (path === null) print(script.trimEnd());
  else if (isObject(content) && Array.isArray(content.steps) && content.steps.length > 0)
    printStatus(`Wrote ${path}. Try it: toolplane plan run ${path} --dry-run${planeFlags}`);
  else
    printStatus(
      `Wrote ${path}, with no step in it: write the calls that it needs, then 'toolplane plan check ${path}${planeFlags}'.`,
    );
}

function save(script: string, path: string, { force = false }: MakeOptions): string {
  try {
    writeFileSync(path, script, { mode: 0o755, flag: force ? "w" : "wx" });
    return path;
  } catch (thrown) {
    const isThere = (thrown as NodeJS.ErrnoException).code === "EEXIST";
    const problem = `${fileErrorText(thrown)}${isThere ? "; --force overwrites it" : ""}`;
    throw new PlaneError("USAGE", `The plan cannot be written to '${path}': ${problem}.`);
  }
}

function readPlanFile(path: string): Promise<string> {
  return readSource(path, `The plan '${path}'`);
}

type TriedStep = Pick<PlacedStep, "line" | "tool"> & { outcome: Outcome };

export function renderCheck(path: string, { steps, problems }: PlanCheck): string {
  const rows = steps.map(({ line, tool, verdict }, index) => [
    `${index + 1}`,
    `${line}`,
    tool,
    verdict ?? "-",
  ]);
  const count = countOf(steps.length, "step");
  return joinLines(
    rows.length > 0 && renderTable(["STEP", "LINE", "TOOL", "VERDICT"], rows),
    problems.map((problem) => renderPlanProblem(path, problem)),
    problems.length === 0
      ? `${colors.green("✔")} ${count}, nothing is wrong.`
      : `${countOf(problems.length, "problem")}, ${count} read.`,
  );
}

function renderTried(tried: readonly TriedStep[]): string {
  const rows = tried.map(({ line, tool, outcome: { verdict, error, call } }, index) => [
    `${index + 1}`,
    `${line}`,
    tool,
    verdict?.verdict ?? error?.code ?? call.status,
    verdict?.reason ?? error?.message ?? "",
  ]);
  return renderTable(["STEP", "LINE", "TOOL", "VERDICT", "BECAUSE"], rows);
}

function renderPlanProblem(path: string, { line, tool, message, hint }: PlanProblem): string {
  const position = `${path === "-" ? "line " : `${path}:`}${line}`;
  const toolText = tool === null ? "" : `${colors.bold(plainText(tool))}: `;
  const remedy = hint === null ? "" : `\n    ${colors.dim(plainText(hint))}`;
  return `${colors.red("✖")} ${plainText(position)} ${toolText}${plainText(message)}${remedy}`;
}
