import { redactDeep } from "../lib/redact-deep.ts";
import type { Attempt, CallStatus, Executed, Outcome, Requested } from "../model/call.ts";
import { type PlaneError, reportError } from "../model/errors.ts";
import { saidNo } from "./changed-result.ts";
import { costField } from "./cost.ts";
import { withEditNote } from "./edit-note.ts";
import { stateField } from "./state.ts";
import { statusOf } from "./status.ts";

/** As much of a call as its stages have learned so far. */
export type Learned = Requested & Partial<Executed>;

/** What its caller is told of a call. */
export function toOutcome(call: Learned, thrown: PlaneError | undefined, durationMs: number): Outcome {
  const result = call.executed?.result;
  const error = thrown ?? (result?.isError ? saidNo(call, result) : undefined);
  const status: CallStatus = statusOf(error, call);
  const shown = withEditNote(result, call);
  return {
    ok: error === undefined,
    call: {
      id: call.id,
      tool: call.tool?.name ?? askedName(call),
      status,
      durationMs,
      provider: call.executed?.provider ?? null,
      attempts: attemptsOf(call, error).length,
      repaired: call.input?.repaired ?? false,
      dropped: call.input?.dropped ?? [],
      warnings: warningsOf(call),
      ...costField(call.tool, attemptsOf(call, error)),
      ...stateField(call, status),
    },
    ...(shown === undefined ? {} : { result: shown }),
    ...(error === undefined ? {} : { error: redactDeep(reportError(error)) }),
    ...waitsFor(error),
    ...(status === "dry_run" && call.approval ? { verdict: call.approval } : {}),
  };
}

function waitsFor(error: PlaneError | undefined): Pick<Outcome, "approval" | "plan"> {
  const { approvalId, planId } = error?.data ?? {};
  if (typeof approvalId !== "string") return {};
  return typeof planId === "string"
    ? { plan: { id: planId, change: approvalId } }
    : { approval: { id: approvalId } };
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
