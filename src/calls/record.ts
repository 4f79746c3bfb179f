import { bytesOf, textOf } from "../lib/json/json-text.ts";
import { hash, hashText } from "../lib/json/stable-json.ts";
import { redactDeep } from "../lib/text/redact.ts";
import { rounded } from "../lib/text/wording.ts";
import type {
  Attempt,
  CallRecord,
  CallReport,
  CallStatus,
  Executed,
  FailedOutcome,
  HeldYes,
  Input,
  Outcome,
  Requested,
  Routed,
  SucceededOutcome,
  WaitingOutcome,
} from "../model/calls/call.ts";
import { resultText, type ToolResult } from "../model/calls/result.ts";
import {
  type HealthSample,
  healthKey,
  personaSubject,
  providerSubject,
  toolSubject,
} from "../model/catalogue/health.ts";
import type { Tool } from "../model/catalogue/tool.ts";
import {
  type ErrorCode,
  type ErrorReport,
  errorTable,
  PlaneError,
  reportError,
  toPlaneError,
} from "../model/errors.ts";
import type { PlaneEvent } from "../model/events.ts";
import { costField } from "./limits/cost.ts";

/** Synchronous where the stage is: a microtask per stage costs more than most stages. */
export type Step = <T extends Requested>(stage: string, run: () => T | Promise<T>) => T | Promise<T>;

/** Reports, whatever happens, how the call went. */
export type Recorder = (
  requested: Requested,
  run: (step: Step) => Routed | Executed | Promise<Routed | Executed>,
) => Promise<Outcome>;

export type RecordOptions = {
  /** Undefined when the record is durable already. */
  write(record: CallRecord, samples: HealthSample[]): Promise<void> | undefined;
  emit(event: PlaneEvent): void;
  /** Resolves when durable. `error` has the provider's own words. */
  keepFailed?(call: Learned, record: CallRecord, error: ErrorReport | null): Promise<void>;
  /** For the caller: a large result is stored. */
  present?(call: Learned, outcome: Outcome): Outcome | Promise<Outcome>;
  onEnded?(call: Learned, outcome: Outcome): void;
  onApprovedEnd?(yes: HeldYes, outcome: Outcome): Promise<void>;
};

export function createRecorder(options: RecordOptions): Recorder {
  const { write, emit, onEnded, present } = options;
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
    if (!outcome.ok || call.approved) await closeCall(call, record, outcome, options);
    onEnded?.(call, outcome);
    emit(resultEvent(record, outcome));
    return shown;
  };
}

/** As a dead letter; closes its approval. */
async function closeCall(call: Learned, record: CallRecord, outcome: Outcome, options: RecordOptions): Promise<void> {
  const { keepFailed, onApprovedEnd } = options;
  const warn = (what: string) => (thrown: unknown) =>
    void outcome.call.warnings.push(`${what}: ${toPlaneError(thrown).message}`);
  if (keepFailed && !outcome.ok)
    await keepFailed(call, record, outcome.error ?? null).catch(warn("No dead letter could be kept"));
  if (call.approved && onApprovedEnd)
    await onApprovedEnd(call.approved, outcome).catch(warn("The approval could not be closed"));
}

function resultEvent({ id, tool, status, durationMs, attempts, server }: CallRecord, outcome: Outcome): PlaneEvent {
  return {
    type: "tool.result",
    callId: id,
    tool,
    success: outcome.ok,
    status,
    durationMs,
    code: outcome.error?.code ?? null,
    attempts: attempts.map(({ provider, ok, durationMs: took }) => ({ provider, ok, durationMs: rounded(took) })),
    server,
  };
}

/** A result that cannot be stored is returned whole. */
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

function toRecord(call: Learned, outcome: Outcome, attempts: Attempt[], stages: CallRecord["stages"]): CallRecord {
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

/** Of the original text where there is one: no rewriting to hash. */
function hashResult(result: ToolResult): string {
  const source = bytesOf(result) ?? textOf(result);
  return source === undefined ? hash(result) : hashText(source);
}

/** A server's words may be anything: shown once and not kept. */
function withoutForeignText(error: ErrorReport): ErrorReport {
  if (error.category !== "tool") return error;
  const { rpcData: _, ...data } = error.data;
  return { ...error, message: errorTable[error.code].means, cause: null, data };
}

/**
 * A tool's health counts every executed call; a provider's only its own part. A shared tool also has one per persona.
 */
function samplesOf(call: Learned, { at, status, durationMs, attempts }: CallRecord): HealthSample[] {
  const { tool, principal } = call;
  if (!tool || attempts.length === 0 || status === "cancelled") return [];
  const key = healthKey(tool);
  const ok = toolDidWell(call, status);
  const viewer = tool.persona === null ? principal.persona : null;
  const subjects = [toolSubject(key), ...(viewer === null ? [] : [personaSubject(key, viewer)])];
  return [
    ...subjects.map((subject) => ({ subject, at, ok, latencyMs: durationMs })),
    ...attempts.map(({ provider, ok: answered, durationMs: latencyMs }) => ({
      subject: providerSubject(key, provider),
      at,
      ok: answered,
      latencyMs: rounded(latencyMs),
    })),
  ];
}

/** What the stages have learned so far. */
type Learned = Requested & Partial<Executed>;

function toOutcome(call: Learned, thrown: PlaneError | undefined, durationMs: number): Outcome {
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
    ...warningsOf(call),
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

/** Status and fields follow from one code, which no type can tell. */
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

function warningsOf({ input, executed, judged }: Learned): Pick<CallReport, "warnings" | "argumentNotes"> {
  const notes: string[] = [];
  if (input?.respelt)
    notes.push(`The arguments were no valid JSON (${input.respelt.join(", ")}) and have been read all the same.`);
  else if (input?.repaired) notes.push("The arguments were cut off and have been completed; check them.");
  if (input && input.dropped.length > 0) notes.push(`Not declared by the tool, left out: ${input.dropped.join(", ")}.`);
  const hooked = judged?.before ? ["A hook changed the arguments."] : [];
  const warnings = [...(executed?.warnings ?? []), ...hooked, ...notes];
  return notes.length === 0 ? { warnings } : { warnings, argumentNotes: notes };
}

function attemptsOf(call: Learned, error: PlaneError | undefined): Attempt[] {
  return call.executed?.attempts ?? (error?.data.history as Attempt[] | undefined) ?? [];
}

function askedName({ asked: { tool } }: Requested): string {
  if (typeof tool === "string") return tool;
  return tool.server === null ? tool.tool : `${tool.server}.${tool.tool}`;
}

/** The caller reads what really ran before the result. */
function withEditNote(result: ToolResult, { approved, input }: { approved?: HeldYes; input?: Input }): ToolResult {
  if (approved === undefined || approved.arguments !== null) return result;
  const ran = JSON.stringify(input?.arguments ?? {}, null, 2);
  const text = `A person changed the arguments before they approved this call. It ran with:\n${ran}`;
  return { ...result, content: [{ type: "text", text }, ...(result.content ?? [])] };
}

/** After success; absent where no states are used. */
export function stateField(
  { options: { state }, tool }: Pick<Requested, "options"> & { tool?: Tool },
  status: CallStatus,
): Pick<Outcome["call"], "state"> {
  const next = tool?.metadata.state;
  if (state === undefined && next === undefined) return {};
  const current = state === undefined || state === "" ? "undefined" : state;
  return { state: status === "succeeded" ? (next ?? current) : current };
}

type Ended = Requested & Partial<Executed>;

/** Decisions of hooks, and the tool's own result where they changed it. */
function hookFields({ executed, hooks }: Ended): Partial<CallRecord> {
  return {
    ...(executed?.said ? { resultHash: hash(executed.said), changedHash: hash(executed.result) } : {}),
    ...(hooks ? { hooks } : {}),
  };
}

/** A hook's change is not the tool's doing. */
function toolDidWell({ executed }: Ended, status: CallStatus): boolean {
  return executed?.said ? executed.said.isError !== true : status === "succeeded";
}

/** The tool, or a hook in its place, which names itself. */
function saidNo({ tool, executed }: Ended, result: ToolResult): PlaneError {
  const [name, text] = [tool?.name ?? "", resultText(result)];
  return executed?.said && executed.said.isError !== true
    ? new PlaneError("TOOL_ERROR", text, { data: { tool: name } })
    : describeToolError(name, text);
}

const statuses: Partial<Record<ErrorCode, CallStatus>> = {
  TOOL_ERROR: "tool_error",
  APPROVAL_REQUIRED: "waiting",
  PLAN_QUEUED: "waiting",
  CANCELLED: "cancelled",
};

/** Tool, provider or plane: three different failures. */
export function statusOf(error: PlaneError | undefined, call: { executed?: unknown }): CallStatus {
  if (error === undefined) return call.executed === undefined ? "dry_run" : "succeeded";
  const refused = ["policy", "validation"].includes(errorTable[error.code].category);
  return statuses[error.code] ?? (refused ? "refused" : "failed");
}

export function describeToolError(tool: string, text: string): PlaneError {
  const said = text.trim() === "" ? "it gave no text" : text.trim();
  return new PlaneError("TOOL_ERROR", `'${tool}' reported an error: ${said}`, { data: { tool } });
}
