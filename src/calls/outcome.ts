import { redactDeep } from "../lib/redact-deep.ts";
import type {
  Attempt,
  CallReport,
  Executed,
  FailedOutcome,
  Outcome,
  Requested,
  SucceededOutcome,
  WaitingOutcome,
} from "../model/call.ts";
import { type PlaneError, reportError } from "../model/errors.ts";
import type { ToolResult } from "../model/result.ts";
import { saidNo } from "./changed-result.ts";
import { costField } from "./cost.ts";
import { withEditNote } from "./edit-note.ts";
import { stateField } from "./state.ts";
import { statusOf } from "./status.ts";

/** As much of a call as its stages have learned so far. */
export type Learned = Requested & Partial<Executed>;

/** What its caller is told of a call. */
export function toOutcome(call: Learned, thrown: PlaneError | undefined, durationMs: number): Outcome {
  const { executed, approval } = call;
  const error = thrown ?? (executed?.result.isError ? saidNo(call, executed.result) : undefined);
  const status = statusOf(error, call);
  const attempts = attemptsOf(call, error);
  const report: CallReport = {
    id: call.id,
    tool: call.tool?.name ?? askedName(call),
    status,
    durationMs,
    provider: executed?.provider ?? null,
    attempts: attempts.length,
    repaired: call.input?.repaired ?? false,
    dropped: call.input?.dropped ?? [],
    warnings: warningsOf(call),
    ...costField(call.tool, attempts),
    ...stateField(call, status),
  };
  const result = executed && withEditNote(executed.result, call);
  if (error) return failedWith(error, report, result);
  if (result) return { ok: true, call: report as SucceededOutcome["call"], result };
  return {
    ok: true,
    call: report as SucceededOutcome["call"],
    result: { content: [] },
    ...(approval ? { verdict: approval } : {}),
  };
}

/** The status and what the outcome has beside it follow from one code, which no type can tell. */
function failedWith(error: PlaneError, call: CallReport, result: ToolResult | undefined): Outcome {
  const { approvalId, planId } = error.data;
  const report = redactDeep(reportError(error));
  if (call.status !== "waiting" || typeof approvalId !== "string")
    return {
      ok: false,
      call: call as FailedOutcome["call"],
      ...(result === undefined ? {} : { result }),
      error: report,
    };
  const waiting = call as WaitingOutcome["call"];
  if (typeof planId === "string")
    return { ok: false, call: waiting, error: report, plan: { id: planId, change: approvalId } };
  return { ok: false, call: waiting, error: report, approval: { id: approvalId } };
}

function warningsOf({ input, executed, judged }: Learned): string[] {
  const warnings = [...(executed?.warnings ?? [])];
  if (judged?.before) warnings.push("A hook changed the arguments.");
  if (input?.respelt)
    warnings.push(
      `The arguments were no valid JSON (${input.respelt.join(", ")}) and have been read all the same.`,
    );
  else if (input?.repaired) warnings.push("The arguments were cut off and have been completed; check them.");
  if (input && input.dropped.length > 0)
    warnings.push(`Not declared by the tool, left out: ${input.dropped.join(", ")}.`);
  return warnings;
}

export function attemptsOf(call: Learned, error: PlaneError | undefined): Attempt[] {
  return call.executed?.attempts ?? (error?.data.history as Attempt[] | undefined) ?? [];
}

export function askedName({ asked: { tool } }: Requested): string {
  if (typeof tool === "string") return tool;
  return tool.server === null ? tool.tool : `${tool.server}.${tool.tool}`;
}
