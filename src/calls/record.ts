import type { Collected } from "../access/access.ts";
import { bytesOf, sourceTextOf } from "../lib/json/json-text.ts";
import { hash, hashText } from "../lib/json/stable-json.ts";
import { createLru } from "../lib/lru.ts";
import { shorten } from "../lib/text/cut-text.ts";
import { redactDeep } from "../lib/text/redact.ts";
import { rounded } from "../lib/text/wording.ts";
import { originalPrefix } from "../model/access/injection.ts";
import type {
  CallReport,
  Executed,
  FailedOutcome,
  HeldYes,
  Outcome,
  Requested,
  Routed,
  SucceededOutcome,
  WaitingOutcome,
} from "../model/calls/call.ts";
import { originOf } from "../model/calls/call.ts";
import { resultEvent } from "../model/calls/call-events.ts";
import type { Attempt, CallRecord, CallStatus, Sent } from "../model/calls/call-schema.ts";
import { resultText, type ToolResult } from "../model/calls/result.ts";
import { mayRunAgain, sentOf } from "../model/calls/sent.ts";
import type { HealthSample } from "../model/catalogue/health.ts";
import {
  healthKey,
  personaSubject,
  providerSubject,
  toolSubject,
} from "../model/catalogue/health.ts";
import type { Tool } from "../model/catalogue/tool.ts";
import type { ErrorCode } from "../model/errors.ts";
import {
  errorTable,
  PlaneError,
  publicMessage,
  reportError,
  toPlaneError,
} from "../model/errors.ts";
import type { ErrorReport } from "../model/errors-schema.ts";
import type { EventOf, PlaneEvent } from "../model/events.ts";
import type { JsonObject } from "../model/json.ts";
import type { Principal } from "../model/principal.ts";
import type { RunningCall } from "../store/store.ts";
import { collectedText } from "./approve.ts";
import { costField } from "./limits/cost.ts";

/** Synchronous where the stage is: a microtask per stage costs more than most stages. */
export type Step = <T extends Requested>(
  stage: string,
  run: () => T | Promise<T>,
) => T | Promise<T>;

export type RecordCall = (
  requested: Requested,
  run: (step: Step) => Routed | Executed | Promise<Routed | Executed>,
) => Promise<Outcome>;

/** A call with what the stages have added to it so far. */
type CallSoFar = Requested & Partial<Executed>;

export type RecordOptions = {
  /** Tells that a call begins. */
  begin(event: EventOf<"tool.call">, principal: Principal): RunningCall;
  /** Undefined when the record is durable already. */
  write(
    record: CallRecord,
    samples: HealthSample[],
    running: RunningCall,
  ): Promise<void> | undefined;
  /** Of what holds no secret. */
  emitClean(event: PlaneEvent): void;
  /** Resolves when durable. `error` has the provider's own words. */
  keepFailed?(call: CallSoFar, record: CallRecord, error: ErrorReport | null): Promise<void>;
  /** Takes on a call that could not be sent. The error says so, or why it is not taken. */
  accept?(call: CallSoFar, error: PlaneError): Promise<PlaneError>;
  /** For the caller: a large result is stored. */
  present?(call: CallSoFar, outcome: Outcome): Outcome | Promise<Outcome>;
  onEnded?(call: CallSoFar, outcome: Outcome, stages: CallRecord["stages"]): void;
  onApprovedEnd?(yes: HeldYes, outcome: Outcome, call: CallSoFar): Promise<void>;
};

/** Whatever happens, the call is recorded before it is answered. */
export function createCallRecorder(options: RecordOptions): RecordCall {
  const { begin, write, emitClean, onEnded } = options;
  return async (requested, run) => {
    const startedAt = performance.now();
    const running = begin(callEvent(requested), requested.principal);
    const tracked = trackStages(requested, startedAt);
    let error: PlaneError | undefined;
    try {
      await run(tracked.step);
    } catch (thrown) {
      error = toPlaneError(thrown);
    }
    const { call, stages } = tracked.learned();
    if (error !== undefined && mayQueue(call, error)) error = await accepted(call, error, options);
    const outcome = toOutcome(call, error, rounded(performance.now() - startedAt));
    const record = toRecord(call, outcome, attemptsOf(call, error), stages);
    const presentation = presented(call, outcome, options);
    let answer = presentation instanceof Promise ? await presentation : presentation;
    if (answer.stored) record.stored = answer.stored.id;
    try {
      const writing = write(record, samplesOf(call, record), running);
      if (writing) await writing;
    } catch (thrown) {
      answer = unrecorded(answer, toPlaneError(thrown));
    }
    if (!outcome.ok || call.approved) await closeCall(call, record, outcome, answer, options);
    onEnded?.(call, outcome, stages);
    // What succeeded has nothing in it that was not redacted for its record.
    emitClean(outcome.ok ? resultEvent(record) : redactDeep(resultEvent(record)));
    return answer;
  };
}

const unavailable: ReadonlySet<ErrorCode> = new Set([
  "SERVER_UNAVAILABLE",
  "NO_PROVIDER",
  "BUSY",
  "RATE_LIMITED",
  "TIMEOUT",
]);

/** Its caller chose to have it run later, and another attempt does no harm and may succeed. */
function mayQueue(call: CallSoFar, error: PlaneError): boolean {
  const { onUnavailable, dryRun, ownRetries } = call.options;
  if (onUnavailable !== "queue" || dryRun || ownRetries) return false;
  if (!unavailable.has(error.code) || error.data.permanent === true) return false;
  const attempts = attemptsOf(call, error);
  return attempts.length === 0 || mayRunAgain(call.tool, error.data);
}

/** What cannot be stored is not accepted. */
async function accepted(
  call: CallSoFar,
  error: PlaneError,
  { accept }: Pick<RecordOptions, "accept">,
): Promise<PlaneError> {
  if (!accept) return error;
  try {
    return await accept(call, error);
  } catch (thrown) {
    return notQueued(error, toPlaneError(thrown).message);
  }
}

/** The call failed, and the message says why nothing runs it later. */
export function notQueued({ code, message, data, cause }: PlaneError, why: string): PlaneError {
  return new PlaneError(code, `${message} It was not queued: ${why}`, { data, cause });
}

/** It waits in memory, and the answer says so; or there is none, where the record is required. */
export function unrecorded(shown: Outcome, why: PlaneError): Outcome {
  shown.call.recorded = false;
  if (why.code === "RECORD_FAILED")
    return { ok: false, call: { ...shown.call, status: "failed" }, error: reportError(why) };
  const { message } = publicMessage(why.code, why.data) ?? why;
  shown.call.warnings.push(`This call could not be recorded: ${message}`);
  return shown;
}

function trackStages(requested: Requested, startedAt: number) {
  const stages: CallRecord["stages"] = [];
  let call: CallSoFar = requested;
  let stageStartedAt = startedAt;

  function ended<T extends Requested>(stage: string, result?: T): void {
    const now = performance.now();
    stages.push({ stage, ms: rounded(now - stageStartedAt) });
    stageStartedAt = now;
    if (result) call = result;
  }

  async function wait<T extends Requested>(stage: string, running: Promise<T>): Promise<T> {
    let result: T | undefined;
    try {
      result = await running;
      return result;
    } finally {
      ended(stage, result);
    }
  }

  const step: Step = (stage, run) => {
    try {
      const result = run();
      if (result instanceof Promise) return wait(stage, result);
      ended(stage, result);
      return result;
    } catch (thrown) {
      ended(stage);
      throw thrown;
    }
  };
  return { step, learned: () => ({ call, stages }) };
}

function warn({ call }: Outcome, what: string, thrown: unknown): void {
  call.warnings.push(`${what}: ${toPlaneError(thrown).message}`);
}

/** As a dead letter; closes its approval. */
async function closeCall(
  call: CallSoFar,
  record: CallRecord,
  outcome: Outcome,
  shown: Outcome,
  options: RecordOptions,
): Promise<void> {
  const { keepFailed, onApprovedEnd } = options;
  const warnOf = (what: string) => (thrown: unknown) => warn(outcome, what, thrown);
  const isOwn = record.kind === undefined && record.collected === undefined;
  if (keepFailed && !outcome.ok && isOwn)
    await keepFailed(call, record, outcome.error ?? null).catch(
      warnOf("No dead letter could be kept"),
    );
  if (call.approved && onApprovedEnd)
    await onApprovedEnd(call.approved, shown, call).catch(
      warnOf("The approval could not be closed"),
    );
}

function kindOf(tool: Requested["asked"]["tool"]): Pick<CallRecord, "kind"> {
  if (typeof tool === "string" || tool.kind === undefined) return {};
  return { kind: tool.kind };
}

function callEvent(requested: Requested): EventOf<"tool.call"> {
  const { id, asked, principal } = requested;
  const { user, key } = principal;
  const facts = { type: "tool.call", callId: id, user, ...(key !== undefined && { key }) } as const;
  return redactDeep({ ...facts, tool: askedName(requested), ...kindOf(asked.tool) });
}

/** A result that cannot be stored is returned whole. */
export function presented(
  call: CallSoFar,
  outcome: Outcome,
  { present }: Pick<RecordOptions, "present">,
): Outcome | Promise<Outcome> {
  if (!present) return outcome;
  const giveWhole = (thrown: unknown) => {
    warn(outcome, "This large result could not be kept", thrown);
    return outcome;
  };
  try {
    const presentation = present(call, outcome);
    if (presentation instanceof Promise) return presentation.catch(giveWhole);
    return presentation;
  } catch (thrown) {
    return giveWhole(thrown);
  }
}

const maxPageLength = 500;

function toRecord(
  call: CallSoFar,
  outcome: Outcome,
  attempts: Attempt[],
  stages: CallRecord["stages"],
): CallRecord {
  const { id, at, tool, principal, face, input, injected, approval, executed, hooks, options } =
    call;
  const { status, durationMs, provider } = outcome.call;
  return {
    id,
    at,
    tool: redactDeep(outcome.call.tool),
    server: tool?.id.server ?? null,
    ...kindOf(call.asked.tool),
    ...(options.page === undefined
      ? {}
      : { page: redactDeep(shorten(options.page.uri, maxPageLength)) }),
    principal,
    face,
    status,
    durationMs,
    provider,
    attempts,
    argumentNames: redactedNames(input?.arguments),
    argumentsHash: input ? hash(input.arguments) : null,
    injected: Object.keys(injected?.values ?? {}),
    approval: redactDeep(approval ?? null),
    resultHash: executed ? hashResult(executed.result) : null,
    // The tool's own result, where hooks changed it.
    ...(executed?.replacedResult
      ? { resultHash: hash(executed.replacedResult), changedHash: hash(executed.result) }
      : {}),
    ...(hooks ? { hooks } : {}),
    error: outcome.error ? withoutForeignText(outcome.error) : null,
    ...costField(tool, attempts),
    ...originOf(executed ?? collectedIn(outcome.error)),
    ...(call.waitedSince === undefined ? {} : { waitedSince: call.waitedSince }),
    ...(options.run === undefined ? {} : { run: options.run }),
    ...(options.conversation === undefined ? {} : { conversation: options.conversation }),
    stages,
  };
}

/** The earlier call whose failure this one collected. */
function collectedIn(error: ErrorReport | undefined): Pick<CallRecord, "collected"> {
  const { collected } = error?.data ?? {};
  if (collected === undefined) return {};
  return { collected: collected as Collected["of"] };
}

/** Callers of a tool give the same few arguments. */
const redactedNamesByKey = createLru<string[]>(100);
const maxNamesLength = 500;

function redactedNames(args: JsonObject | undefined): string[] {
  const names = Object.keys(args ?? {});
  if (names.length === 0) return names;
  const key = names.join("\n");
  const cached = redactedNamesByKey.get(key);
  if (cached !== undefined) return cached;
  const redacted = redactDeep(names);
  if (key.length < maxNamesLength) redactedNamesByKey.set(key, redacted);
  return redacted;
}

/** A result that came as text is hashed as it came, without writing it again. */
export function hashResult(result: ToolResult): string {
  const source = bytesOf(result) ?? sourceTextOf(result);
  if (source === undefined) return hash(result);
  return hashText(source);
}

/** A server's words may be anything: shown once and not kept. */
function withoutForeignText(error: ErrorReport): ErrorReport {
  if (error.category !== "tool") return error;
  const { rpcData: _, ...data } = error.data;
  return { ...error, message: errorTable[error.code].means, cause: null, data };
}

/** A tool's health counts every executed call, also per persona; a provider's only its own part. */
function samplesOf(
  call: CallSoFar,
  { at, status, durationMs, attempts, error }: CallRecord,
): HealthSample[] {
  const { tool, principal, executed } = call;
  const isStoppedFromOutside = status === "cancelled" || error?.data.stopped === true;
  const ownAttempts = attempts.filter(({ shared }) => shared === undefined);
  const isOffer = tool?.id.kind !== undefined;
  if (!tool || isOffer || ownAttempts.length === 0 || isStoppedFromOutside) return [];
  const key = healthKey(tool);
  // A hook's change is not the tool's doing.
  const ok = executed?.replacedResult
    ? executed.replacedResult.isError !== true
    : status === "succeeded";
  const sample = (subject: string, isOk: boolean, ms: number) => ({
    subject,
    at,
    ok: isOk,
    latencyMs: ms,
  });
  // A tool of a persona is health of that persona already.
  const persona = tool.persona === null ? principal.persona : null;
  const samples = [sample(toolSubject(key), ok, durationMs)];
  if (persona !== null) samples.push(sample(personaSubject(key, persona), ok, durationMs));
  for (const attempt of ownAttempts) {
    const subject = providerSubject(key, attempt.provider);
    samples.push(sample(subject, attempt.ok, rounded(attempt.durationMs)));
  }
  return samples;
}

function toOutcome(call: CallSoFar, thrown: PlaneError | undefined, durationMs: number): Outcome {
  const { executed, approval, input } = call;
  const error =
    thrown ?? (executed?.result.isError ? toolErrorOf(call, executed.result) : undefined);
  const status = callStatusOf(error, call);
  const attempts = attemptsOf(call, error);
  const report: CallReport = {
    id: call.id,
    tool: call.tool?.name ?? askedName(call),
    status,
    durationMs,
    provider: executed === undefined || executed.collected ? null : executed.provider,
    attempts: attempts.length,
    repaired: input?.repaired ?? false,
    dropped: input?.dropped ?? [],
    ...warningsOf(call),
    ...costField(call.tool, attempts),
    ...originOf(executed ?? {}),
    ...stateField(call, status),
    ...(error === undefined ? {} : { sent: sentBy(call, error, attempts) }),
  };
  const result = executed && withNote(executed.result, call);
  if (error) return failedWith(withPlace(error, call, report.attempts), report, result);
  const succeeded = { ok: true as const, call: report as SucceededOutcome["call"] };
  if (result) return { ...succeeded, result };
  const empty = { ...succeeded, result: { content: [] } };
  if (!approval) return empty;
  return { ...empty, verdict: approval };
}

/** A tool's own error is an answer. */
function sentBy({ executed }: CallSoFar, { data }: PlaneError, attempts: readonly Attempt[]): Sent {
  if (executed !== undefined) return "sent";
  return sentOf(data, attempts);
}

/** Every failure of a call names its tool, its server and how often it was tried. */
function withPlace(error: PlaneError, { tool }: CallSoFar, attempts: number): PlaneError {
  if (tool === undefined) return error;
  const { name, id } = tool;
  const data =
    id.server === null
      ? { tool: name, attempts, ...error.data }
      : { tool: name, server: id.server, attempts, ...error.data };
  return new PlaneError(error.code, error.message, { data, cause: error.cause });
}

/** Status and fields follow from one code, which no type can tell. */
function failedWith(thrown: PlaneError, call: CallReport, result: ToolResult | undefined): Outcome {
  const { approvalId, planId, queuedId } = thrown.data;
  const error = redactDeep(reportError(thrown));
  if (call.status === "waiting" && typeof queuedId === "string")
    return { ok: false, call: call as WaitingOutcome["call"], error, queued: { id: queuedId } };
  if (call.status !== "waiting" || typeof approvalId !== "string")
    return {
      ok: false,
      call: call as FailedOutcome["call"],
      ...(result === undefined ? {} : { result }),
      error,
    };
  const waiting = { ok: false as const, call: call as WaitingOutcome["call"], error };
  if (typeof planId === "string") return { ...waiting, plan: { id: planId, change: approvalId } };
  return { ...waiting, approval: { id: approvalId } };
}

function warningsOf(call: CallSoFar): Pick<CallReport, "warnings" | "argumentNotes"> {
  const { input, executed, judged, tool } = call;
  const notes: string[] = [];
  if (input?.respelt)
    notes.push(
      `The arguments were no valid JSON (${input.respelt.join(", ")}) and have been read all the same.`,
    );
  else if (input?.repaired)
    notes.push("The arguments were cut off and have been completed; check them.");
  const isSet = (name: string) => tool?.reserved.includes(name) ?? false;
  const undeclared = input?.dropped.filter((name) => !isSet(name)) ?? [];
  const reserved = input?.dropped.filter(isSet) ?? [];
  if (undeclared.length > 0)
    notes.push(`Not declared by the tool, left out: ${undeclared.join(", ")}.`);
  if (reserved.length > 0) notes.push(`Set by the system alone, left out: ${reserved.join(", ")}.`);
  const hooked = judged?.before ? ["A hook changed the arguments."] : [];
  const warnings = [...(executed?.warnings ?? []), ...hooked, ...unusedFiles(call), ...notes];
  if (notes.length === 0) return { warnings };
  return { warnings, argumentNotes: notes };
}

/** Files that were given and went nowhere. */
function unusedFiles({ files = {}, injected, tool }: CallSoFar): string[] {
  const names = Object.keys(files);
  if (names.length === 0 || injected === undefined || tool === undefined) return [];
  const sent = new Set(Object.values(injected.values).flat());
  const unused = names.filter((name) => !sent.has(files[name] as string));
  if (unused.length === 0) return [];
  const takers = tool.reserved
    .filter((name) => name.startsWith(originalPrefix))
    .map((name) => `'${name.slice(originalPrefix.length)}'`);
  const text = `No argument of '${tool.name}' took the address of ${unused.join(", ")}.`;
  if (takers.length > 0) return [`${text} Give the name of the file in ${takers.join(" or ")}.`];
  return [
    `${text} 'inject' of its server says which argument is a file: {"parameter": "filename", "from": "files"}.`,
  ];
}

function attemptsOf(call: CallSoFar, error: PlaneError | undefined): Attempt[] {
  return call.executed?.attempts ?? (error?.data.history as Attempt[] | undefined) ?? [];
}

function askedName({ asked: { tool } }: Requested): string {
  if (typeof tool === "string") return tool;
  if (tool.server === null) return tool.tool;
  return `${tool.server}.${tool.tool}`;
}

/** The caller reads what really ran, or which call this answers, before the result. */
function withNote(result: ToolResult, call: CallSoFar): ToolResult {
  const text = noteOn(call);
  if (text === null) return result;
  return { ...result, content: [{ type: "text", text }, ...(result.content ?? [])] };
}

function noteOn({ approved, input, executed }: CallSoFar): string | null {
  if (executed?.collected) return collectedText(executed.collected);
  if (approved === undefined || approved.arguments !== null) return null;
  const ran = JSON.stringify(input?.arguments ?? {}, null, 2);
  return `A person changed the arguments before they approved this call. It ran with:\n${ran}`;
}

type Stated = Pick<Requested, "options"> & { tool?: Tool };

/** After success; absent where no states are used. */
export function stateField(
  { options: { state }, tool }: Stated,
  status: CallStatus,
): Pick<CallReport, "state"> {
  const nextState = tool?.metadata.state;
  if (state === undefined && nextState === undefined) return {};
  const current = state === undefined || state === "" ? "undefined" : state;
  return { state: status === "succeeded" ? (nextState ?? current) : current };
}

/** The tool, or a hook in its place, which names itself. */
function toolErrorOf({ tool, executed }: CallSoFar, result: ToolResult): PlaneError {
  const name = tool?.name ?? "";
  const text = shorten(resultText(result), maxErrorLength);
  const isByHook = executed?.replacedResult && executed.replacedResult.isError !== true;
  if (isByHook) return new PlaneError("TOOL_ERROR", text, { data: { tool: name } });
  return describeToolError(name, text);
}

const statuses: Partial<Record<ErrorCode, CallStatus>> = {
  TOOL_ERROR: "tool_error",
  APPROVAL_REQUIRED: "waiting",
  PLAN_QUEUED: "waiting",
  CALL_QUEUED: "waiting",
  CANCELLED: "cancelled",
  SHUTTING_DOWN: "cancelled",
};

/** Tool, provider or plane: three different failures. */
export function callStatusOf(
  error: PlaneError | undefined,
  call: { executed?: unknown },
): CallStatus {
  if (error === undefined) return call.executed === undefined ? "dry_run" : "succeeded";
  const refused = ["policy", "validation"].includes(errorTable[error.code].category);
  // It stood in for an earlier call, and that one waits.
  if (error.data.standsFor !== undefined) return "refused";
  return statuses[error.code] ?? (refused ? "refused" : "failed");
}

/** The result has it whole. */
const maxErrorLength = 32 * 1024;

export function describeToolError(tool: string, text: string): PlaneError {
  const explanation = text.trim() === "" ? "it gave no text" : shorten(text.trim(), maxErrorLength);
  return new PlaneError("TOOL_ERROR", `'${tool}' reported an error: ${explanation}`, {
    data: { tool },
  });
}
