import type { Outcome } from "../../model/call.ts";
import { errorTable } from "../../model/errors.ts";
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
  return withPlane(cli, options, async (plane, { signal, exitCode }) => {
    const outcome = await plane.call(tool, args, {
      face: "cli",
      signal,
      ...(options.timeout === undefined ? {} : { timeoutMs: options.timeout * 1000 }),
      ...(options.yes ? { consent: true } : {}),
      ...(options.dryRun ? { dryRun: true } : {}),
    });
    if (options.json) printJson(outcome);
    else printOutcome(outcome);
    return exitCode() ?? (outcome.error ? errorTable[outcome.error.code].exit : 0);
  });
}

function printOutcome({ call, result, error }: Outcome): void {
  for (const warning of call.warnings) printWarning(warning);
  if (result) {
    const text = renderResult(result, call.id);
    if (result.isError) say(text);
    else print(text);
  }
  if (call.status === "dry_run") print(`'${call.tool}' would run with these arguments.`);
  if (error && error.code !== "TOOL_ERROR") printError(error);
}
