import type { Outcome } from "../../model/calls/call.ts";
import { errorTable } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import { shownIdLength } from "./approval-ids.ts";
import { print, printError, printWarning, say } from "./output.ts";
import { renderResult } from "./render-result.ts";

/** How a call went, for people. `hints` say what to type instead. */
export function printOutcome({ call, result, error, verdict, plan }: Outcome, hints: readonly string[] = []): void {
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
  // To be queued is no failure, and is said by `sayWhatWaits`.
  if (error && error.code !== "TOOL_ERROR" && !plan) printError(error);
  for (const hint of hints) say(hint);
}

const verdicts = {
  allow: "run with these arguments",
  ask: "wait for a person's yes with these arguments",
  queue: "be queued in a plan with these arguments",
  deny: "be refused",
} as const;

/** Where a call waits for a person, and the command that shows or approves it. */
export async function sayWhatWaits(
  plane: Pick<Plane, "plans">,
  { approval, plan }: Outcome,
  write = say,
): Promise<void> {
  if (approval) say(`Approve it: toolplane approvals approve ${approval.id}`);
  if (!plan) return;
  const { changes } = await plane.plans.get(plan.id);
  const place = changes.findIndex(({ id }) => id === plan.change) + 1;
  const id = plan.id.slice(0, shownIdLength);
  write(`Queued as change ${place} of plan ${id}. See it: toolplane plan show ${id}`);
}

export function exitCodeOf({ error }: Outcome): number {
  return error ? errorTable[error.code].exit : 0;
}
