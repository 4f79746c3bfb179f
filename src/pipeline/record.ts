import { hash } from "../lib/stable-json.ts";
import type { Attempt, CallRecord, CallStatus, Executed, Outcome, Requested, Routed } from "../model/call.ts";
import { type ErrorReport, errorTable, type PlaneError, reportError, toPlaneError } from "../model/errors.ts";
import type { PlaneEvent } from "../model/events.ts";
import { type HealthSample, providerSubject, toolSubject } from "../model/health.ts";
import { resultText } from "../model/result.ts";
import { describeToolError, statusOf } from "./status.ts";

export type Step = <T extends Requested>(stage: string, run: () => T | Promise<T>) => Promise<T>;

/** Runs the stages and tells, whatever happens, how the call went. */
export type Recorder = (
  requested: Requested,
  run: (step: Step) => Promise<Routed | Executed>,
) => Promise<Outcome>;

export type RecordOptions = {
  /** Resolves when the record is durable. */
  write(record: CallRecord, samples: HealthSample[]): Promise<void>;
  emit(event: PlaneEvent): void;
};

/** As much of a call as its stages have learned so far. */
type Learned = Requested & Partial<Executed>;

export function createRecorder({ write, emit }: RecordOptions): Recorder {
  return async (requested, run) => {
    const startedAt = performance.now();
    const stages: CallRecord["stages"] = [];
    let call: Learned = requested;
    let error: PlaneError | undefined;
    emit({ type: "tool.call", callId: call.id, tool: askedName(call), user: call.principal.user });

    const step: Step = async (stage, runStage) => {
      const from = performance.now();
      try {
        const result = await runStage();
        call = result;
        return result;
      } finally {
        stages.push({ stage, ms: rounded(performance.now() - from) });
      }
    };
    try {
      await run(step);
    } catch (thrown) {
      error = toPlaneError(thrown);
    }

    const durationMs = rounded(performance.now() - startedAt);
    const outcome = toOutcome(call, error, durationMs);
    const record = toRecord(call, outcome, attemptsOf(call, error), stages);
    try {
      await write(record, samplesOf(call, record));
    } catch (thrown) {
      outcome.call.warnings.push(`This call could not be recorded: ${toPlaneError(thrown).message}`);
    }
    emit({
      type: "tool.result",
      callId: call.id,
      tool: record.tool,
      success: outcome.ok,
      status: record.status,
      durationMs,
      code: outcome.error?.code ?? null,
    });
    return outcome;
  };
}

function toOutcome(call: Learned, thrown: PlaneError | undefined, durationMs: number): Outcome {
  const result = call.executed?.result;
  const error =
    thrown ?? (result?.isError ? describeToolError(call.tool?.name ?? "", resultText(result)) : undefined);
  const status: CallStatus = statusOf(error, call);
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
    },
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error: reportError(error) }),
    ...(typeof error?.data.approvalId === "string" ? { approval: { id: error.data.approvalId } } : {}),
  };
}

function warningsOf({ input, executed }: Learned): string[] {
  const warnings = [...(executed?.warnings ?? [])];
  if (input?.repaired) warnings.push("The arguments were cut off and have been completed; check them.");
  if (input && input.dropped.length > 0)
    warnings.push(`Not declared by the tool, left out: ${input.dropped.join(", ")}.`);
  return warnings;
}

function toRecord(
  call: Learned,
  outcome: Outcome,
  attempts: Attempt[],
  stages: CallRecord["stages"],
): CallRecord {
  return {
    id: call.id,
    at: call.at,
    tool: outcome.call.tool,
    server: call.tool?.id.server ?? null,
    principal: call.principal,
    face: call.face,
    status: outcome.call.status,
    durationMs: outcome.call.durationMs,
    provider: outcome.call.provider,
    attempts,
    argumentNames: Object.keys(call.input?.arguments ?? {}),
    argumentsHash: call.input ? hash(call.input.arguments) : null,
    injected: Object.keys(call.injected?.values ?? {}),
    approval: call.approval ?? null,
    resultHash: outcome.result ? hash(outcome.result) : null,
    error: outcome.error ? withoutForeignText(outcome.error) : null,
    stages,
  };
}

/** What a server wrote into its errors may be anything, so it is shown once and not kept. */
function withoutForeignText(error: ErrorReport): ErrorReport {
  if (error.category !== "tool") return error;
  return { ...error, message: errorTable[error.code].means, cause: null };
}

function attemptsOf(call: Learned, error: PlaneError | undefined): Attempt[] {
  return call.executed?.attempts ?? (error?.data.history as Attempt[] | undefined) ?? [];
}

/** The tool's health counts every executed call; a provider's health only what the provider did. */
function samplesOf(call: Learned, { at, tool, status, durationMs, attempts }: CallRecord): HealthSample[] {
  if (!call.tool || attempts.length === 0 || status === "cancelled") return [];
  return [
    { subject: toolSubject(tool), at, ok: status === "succeeded", latencyMs: durationMs },
    ...attempts.map(({ provider, ok, durationMs: latencyMs }) => ({
      subject: providerSubject(tool, provider),
      at,
      ok,
      latencyMs: rounded(latencyMs),
    })),
  ];
}

function askedName({ asked: { tool } }: Requested): string {
  if (typeof tool === "string") return tool;
  return tool.server === null ? tool.tool : `${tool.server}.${tool.tool}`;
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
