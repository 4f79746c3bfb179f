import type { Outcome } from "../../model/call.ts";
import { errorTable } from "../../model/errors.ts";
import { print, printError, printWarning, say } from "./output.ts";
import { renderResult } from "./render-result.ts";

/** How a call went, for people; `values` are the pairs they typed. */
export function printOutcome(
  { call, result, error, verdict }: Outcome,
  values: readonly string[] = [],
): void {
  for (const warning of call.warnings) printWarning(warning);
  if (result && call.status !== "dry_run") {
    const text = renderResult(result, call.id);
    if (result.isError) say(text);
    else print(text);
  }
  if (call.status === "dry_run") {
    print(`'${call.tool}' would ${verdicts[verdict?.verdict ?? "allow"]}.`);
    if (verdict) say(`${verdict.origin}: ${verdict.reason}`);
  }
  if (error && error.code !== "TOOL_ERROR") printError(error);
  for (const hint of error?.code === "INVALID_ARGUMENTS" ? jsonHints(error.data.problems, values) : [])
    say(hint);
}

const verdicts = {
  allow: "run with these arguments",
  ask: "wait for a person's yes with these arguments",
  queue: "be queued in a plan with these arguments",
  deny: "be refused",
} as const;

/** Whoever nobody could ask learns how to go on. */
export function sayHowToApprove({ approval, plan }: Outcome): void {
  if (approval) say(`Approve it with: toolplane approvals approve ${approval.id}`);
  if (plan) say(`See the plan with: toolplane plan show ${plan.id}`);
}

export function exitCodeOf({ error }: Outcome): number {
  return error ? errorTable[error.code].exit : 0;
}

/** Whoever wrote `a=1` for a number wants to know about `a:=1`. */
function jsonHints(problems: unknown, values: readonly string[]): string[] {
  const paths = Array.isArray(problems) ? problems.map(({ path }: { path: string }) => path) : [];
  return values
    .filter((pair) => /^[^=]*[^=:]=/.test(pair) && paths.includes(`/${pair.split("=")[0]}`))
    .map((pair) => `'${pair}' is text; for anything else write ${pair.replace("=", ":=")}`);
}
