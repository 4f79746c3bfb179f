import { bytesOf, textOf } from "../lib/json-text.ts";
import { redactDeep } from "../lib/redact-deep.ts";
import { rounded } from "../lib/rounded.ts";
import { hash, hashText } from "../lib/stable-json.ts";
import type { Attempt, CallRecord, Executed, HeldYes, Outcome, Requested, Routed } from "../model/call.ts";
import { type ErrorReport, errorTable, type PlaneError, toPlaneError } from "../model/errors.ts";
import type { PlaneEvent } from "../model/events.ts";
import type { HealthSample } from "../model/health.ts";
import type { ToolResult } from "../model/result.ts";
import { hookFields } from "./changed-result.ts";
import { costField } from "./cost.ts";
import { samplesOf } from "./health-samples.ts";
import { askedName, attemptsOf, type Learned, toOutcome } from "./outcome.ts";

/** Gives what the stage gives: at once where it does not wait, because a turn for every stage is dearer than most of them. */
export type Step = <T extends Requested>(stage: string, run: () => T | Promise<T>) => T | Promise<T>;

/** Runs the stages and tells, whatever happens, how the call went. */
export type Recorder = (
  requested: Requested,
  run: (step: Step) => Routed | Executed | Promise<Routed | Executed>,
) => Promise<Outcome>;

export type RecordOptions = {
  /** Resolves when the record is durable; undefined when it is so already. */
  write(record: CallRecord, samples: HealthSample[]): Promise<void> | undefined;
  emit(event: PlaneEvent): void;
  /** Keeps what is worth keeping of a call that did not succeed; resolves when that is durable. `error` has the provider's own words. */
  keepFailed?(call: Learned, record: CallRecord, error: ErrorReport | null): Promise<void>;
  /** The outcome as its caller gets it: a result that is too large is kept elsewhere. */
  present?(call: Learned, outcome: Outcome): Outcome | Promise<Outcome>;
  /** Told of every call when it is over. */
  onEnded?(call: Learned, outcome: Outcome): void;
  /** A call that a person had approved is over. */
  onApprovedEnd?(yes: HeldYes, outcome: Outcome): Promise<void>;
};

export function createRecorder(options: RecordOptions): Recorder {
  const { write, emit, keepFailed, onApprovedEnd, onEnded, present } = options;
  return async (requested, run) => {
    const startedAt = performance.now();
    const stages: CallRecord["stages"] = [];
    let call: Learned = requested;
    let error: PlaneError | undefined;
    emit({ type: "tool.call", callId: call.id, tool: askedName(call), user: call.principal.user });

    let from = startedAt;
    const ended = (stage: string, result: Requested | null) => {
      const now = performance.now();
      stages.push({ stage, ms: rounded(now - from) });
      from = now;
      if (result !== null) call = result;
    };
    const step: Step = (stage, runStage) => {
      try {
        const result = runStage();
        if (result instanceof Promise) return wait(stage, result);
        ended(stage, result);
        return result;
      } catch (thrown) {
        ended(stage, null);
        throw thrown;
      }
    };
    const wait = async <T extends Requested>(stage: string, running: Promise<T>): Promise<T> => {
      let result: T | null = null;
      try {
        result = await running;
        return result;
      } finally {
        ended(stage, result);
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
    const given = present ? presented(call, outcome, present) : outcome;
    const shown = given instanceof Promise ? await given : given;
    if (shown.stored) record.stored = shown.stored.id;
    try {
      const written = write(record, samplesOf(call, record));
      if (written) await written;
    } catch (thrown) {
      outcome.call.warnings.push(`This call could not be recorded: ${toPlaneError(thrown).message}`);
    }
    if (keepFailed && !outcome.ok) {
      await keepFailed(call, record, outcome.error ?? null).catch((thrown) => {
        outcome.call.warnings.push(`No dead letter could be kept: ${toPlaneError(thrown).message}`);
      });
    }
    if (call.approved && onApprovedEnd) {
      await onApprovedEnd(call.approved, outcome).catch((thrown) => {
        outcome.call.warnings.push(`The approval could not be closed: ${toPlaneError(thrown).message}`);
      });
    }
    onEnded?.(call, outcome);
    emit({
      type: "tool.result",
      callId: call.id,
      tool: record.tool,
      success: outcome.ok,
      status: record.status,
      durationMs,
      code: outcome.error?.code ?? null,
      attempts: record.attempts.map(({ provider, ok, durationMs: took }) => ({
        provider,
        ok,
        durationMs: rounded(took),
      })),
      server: record.server,
    });
    return shown;
  };
}

/** What cannot be kept is given whole: nothing of a result is lost. */
function presented(call: Learned, outcome: Outcome, present: NonNullable<RecordOptions["present"]>) {
  const giveWhole = (thrown: unknown) => {
    outcome.call.warnings.push(`This large result could not be kept: ${toPlaneError(thrown).message}`);
    return outcome;
  };
  try {
    const shown = present(call, outcome);
    return shown instanceof Promise ? shown.catch(giveWhole) : shown;
  } catch (thrown) {
    return giveWhole(thrown);
  }
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
    tool: redactDeep(outcome.call.tool),
    server: call.tool?.id.server ?? null,
    principal: call.principal,
    face: call.face,
    status: outcome.call.status,
    durationMs: outcome.call.durationMs,
    provider: outcome.call.provider,
    attempts,
    argumentNames: redactDeep(Object.keys(call.input?.arguments ?? {})),
    argumentsHash: call.input ? hash(call.input.arguments) : null,
    injected: Object.keys(call.injected?.values ?? {}),
    approval: redactDeep(call.approval ?? null),
    resultHash: call.executed ? hashResult(call.executed.result) : null,
    ...hookFields(call),
    error: outcome.error ? withoutForeignText(outcome.error) : null,
    ...costField(call.tool, attempts),
    ...(call.options.run === undefined ? {} : { run: call.options.run }),
    stages,
  };
}

/** Of the text as it came, where there is one: a result is not written anew to be hashed. */
function hashResult(result: ToolResult): string {
  const source = bytesOf(result) ?? textOf(result);
  return source === undefined ? hash(result) : hashText(source);
}

/** What a server wrote into its errors may be anything, so it is shown once and not kept. */
function withoutForeignText(error: ErrorReport): ErrorReport {
  if (error.category !== "tool") return error;
  const { rpcData: _, ...data } = error.data;
  return { ...error, message: errorTable[error.code].means, cause: null, data };
}
