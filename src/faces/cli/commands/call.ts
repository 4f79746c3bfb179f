import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { countOf } from "../../../lib/text/wording.ts";
import type { OnUnavailable, Outcome } from "../../../model/calls/call.ts";
import { PlaneError, withoutHints } from "../../../model/errors.ts";
import type { Plane } from "../../../model/plane.ts";
import type { Cli, TextOptions } from "../cli.ts";
import { exitCodeOf, printOutcome, printWaitingCall } from "../terminal/outcome.ts";
import { print, printJson, printStatus, printWarning } from "../terminal/output.ts";
import { answerIfAsked, answerQuestions, canBeAsked, typedHere } from "../terminal/questions.ts";
import { stderrTailIn } from "../terminal/server-trouble.ts";
import { terminal } from "../terminal/terminal.ts";
import { withPlane } from "../with-plane.ts";
import { argumentHints, readCallArguments, readPiped, typedForTool } from "./call-arguments.ts";

type Switches = { yes?: boolean; plan?: boolean; dryRun?: boolean; force?: boolean };
type CallOptions = TextOptions<"args" | "conversation" | "state" | "saveArtifacts"> &
  Switches & {
    onUnavailable?: OnUnavailable;
    timeout?: number;
    toolGroup?: string[];
    file?: string[];
    maxResult?: number;
  };

export async function callTool(
  cli: Cli,
  tool: string,
  values: string[],
  options: CallOptions,
): Promise<number> {
  if (options.saveArtifacts !== undefined && options.maxResult)
    throw new PlaneError(
      "USAGE",
      "--save-artifacts and --max-result do not go together: leave out --max-result.",
    );
  const {
    conversation,
    state,
    dryRun,
    toolGroup: toolGroups,
    yes: consent,
    onUnavailable,
    maxResult: maxResultBytes,
  } = options;
  const isPiped = options.args === undefined && values.length === 0;
  const typedArguments = await readCallArguments(
    options.args,
    values,
    isPiped ? await readPiped(terminal.stdin) : "",
  );
  const files = readFileNames(options.file);
  const mayAsk = !options.json && canBeAsked();
  const work = async (plane: Plane, signal: AbortSignal) => {
    using _answering = mayAsk ? answerQuestions(plane) : undefined;
    const args = await typedForTool(plane, tool, typedArguments, values);
    const firstOutcome = await plane.call(tool, args, {
      face: "cli",
      signal,
      ...typedHere(),
      ...withoutUndefined({
        conversation,
        state,
        dryRun,
        toolGroups,
        consent,
        onUnavailable,
        maxResultBytes,
        files,
      }),
      ...(options.timeout !== undefined && { timeoutMs: options.timeout * 1000 }),
      ...(options.plan && { mode: "plan" as const }),
    });
    const outcome = mayAsk ? await answerIfAsked(plane, firstOutcome) : firstOutcome;
    const saved = await saveFiles(outcome, options);
    if (options.json)
      printJson({
        ...outcome,
        ...(!outcome.ok && { error: withoutHints(outcome.error) }),
        ...saved,
      });
    else printOutcome(outcome, await argumentHints(plane, tool, outcome, values));
    if (!options.json && saved) printSavedFiles(saved);
    // Under --plan the plan is the result.
    const isQueuedAsAsked = options.plan === true && outcome.plan !== undefined;
    if (!options.json)
      await printWaitingCall(plane, outcome, isQueuedAsAsked ? print : printStatus);
    if (!options.json) await printStderrTail(plane, outcome);
    return isQueuedAsAsked ? 0 : exitCodeOf(outcome);
  };
  return withPlane(cli, options, work, { answersQuestions: mayAsk });
}

/** `report.pdf=https://…`: the address of a file by its name. */
function readFileNames(options: readonly string[] | undefined): Record<string, string> | undefined {
  if (options === undefined) return undefined;
  return Object.fromEntries(
    options.map((option) => {
      const separator = option.indexOf("=");
      if (separator < 1)
        throw new PlaneError(
          "USAGE",
          "--file needs NAME=ADDRESS, as in --file report.pdf=https://files.example.org/1",
        );
      return [option.slice(0, separator), option.slice(separator + 1)];
    }),
  );
}

/** Why a server is unreachable is often in what it wrote. */
async function printStderrTail(plane: Plane, { error }: Outcome): Promise<void> {
  if (error?.code !== "SERVER_UNAVAILABLE") return;
  const stderrTail = await stderrTailIn(plane, error.server);
  if (stderrTail !== null) printStatus(stderrTail);
}

/** Loaded only for --save-artifacts. */
async function saveFiles(
  { result }: Outcome,
  { saveArtifacts: directory, force = false }: CallOptions,
) {
  if (directory === undefined) return undefined;
  return (await import("./calls/save-artifacts.ts")).saveArtifacts(result, directory, { force });
}

function printSavedFiles({
  saved,
  problems,
}: NonNullable<Awaited<ReturnType<typeof saveFiles>>>): void {
  for (const problem of problems) printWarning(problem);
  for (const { path, bytes } of saved) printStatus(`saved ${path} (${countOf(bytes, "byte")})`);
  if (saved.length === 0) printStatus("The result came without artifacts; nothing was saved.");
}
