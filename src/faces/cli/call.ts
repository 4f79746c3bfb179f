import type { Outcome } from "../../model/call.ts";
import { errorTable } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import { answerQuestions, canBeAsked } from "./answer-questions.ts";
import { readCallArguments } from "./call-arguments.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { print, printError, printJson, printWarning, say } from "./output.ts";
import { renderResult } from "./render-result.ts";
import { withPlane } from "./with-plane.ts";

type CallOptions = GlobalOptions & { args?: string; timeout?: number; yes?: boolean; dryRun?: boolean };

export async function callTool(
  cli: Cli,
  tool: string,
  values: string[],
  options: CallOptions,
): Promise<number> {
  const args = await readCallArguments(options.args, values);
  const asks = !options.json && canBeAsked();
  const work = async (plane: Plane, signal: AbortSignal) => {
    using _answering = asks ? answerQuestions(plane) : undefined;
    const outcome = await plane.call(tool, args, {
      face: "cli",
      signal,
      ...(options.timeout === undefined ? {} : { timeoutMs: options.timeout * 1000 }),
      ...(options.yes ? { consent: true } : {}),
      ...(options.dryRun ? { dryRun: true } : {}),
    });
    if (options.json) printJson(outcome);
    else printOutcome(outcome, values);
    return outcome.error ? errorTable[outcome.error.code].exit : 0;
  };
  return withPlane(cli, options, work, { answersQuestions: asks });
}

function printOutcome({ call, result, error }: Outcome, values: readonly string[]): void {
  for (const warning of call.warnings) printWarning(warning);
  if (result) {
    const text = renderResult(result, call.id);
    if (result.isError) say(text);
    else print(text);
  }
  if (call.status === "dry_run") print(`'${call.tool}' would run with these arguments.`);
  if (error && error.code !== "TOOL_ERROR") printError(error);
  for (const hint of error?.code === "INVALID_ARGUMENTS" ? jsonHints(error.data.problems, values) : [])
    say(hint);
}

/** Whoever wrote `a=1` for a number wants to know about `a:=1`. */
function jsonHints(problems: unknown, values: readonly string[]): string[] {
  const paths = Array.isArray(problems) ? problems.map(({ path }: { path: string }) => path) : [];
  return values
    .filter((pair) => /^[^=]*[^=:]=/.test(pair) && paths.includes(`/${pair.split("=")[0]}`))
    .map((pair) => `'${pair}' is text; for anything else write ${pair.replace("=", ":=")}`);
}
