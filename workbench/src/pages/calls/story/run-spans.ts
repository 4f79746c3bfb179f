import type { AgentCall, AgentRun, AgentStep } from "../../../../../src/model/agent/run-schema.ts";
import type { RunningRun } from "../../../api/history-queries.ts";
import type { CallAnswer } from "../../../api/queries.ts";
import type { Span } from "../waterfall.tsx";
import { isOwnFinish, renderFinish } from "./finish.ts";

/** What the record of a call adds: how long it waited for a person. */
export type CallRecords = ReadonlyMap<string, Pick<CallAnswer, "stages" | "approval" | "status">>;

/** Programs that the calls of a run were made in, by the call. */
export type Programs = ReadonlyMap<string, AgentRun>;

type ToldRun = Pick<AgentRun, "at" | "steps">;
type TimeSince = (time: string) => number;

/** The turns of a model with the calls of each, and the calls of programs below those that ran them. */
export function runSpans(
  run: ToldRun,
  records: CallRecords,
  programs: Programs = new Map(),
): Span[] {
  const since = sinceOf(run.at);
  return run.steps.flatMap((step) => [
    turnSpan(step, since),
    ...step.calls.flatMap((call) =>
      withProgram(callSpan(call, step, since, records, 1), call, programs, since, records),
    ),
  ]);
}

/** A run that goes on: what has not ended lasts until now. */
export function liveSpans(
  run: RunningRun,
  records: CallRecords,
  waiting: ReadonlySet<string>,
  now: number,
): Span[] {
  const since = sinceOf(run.at);
  const { steps = [], calls } = run;
  const endedSteps = steps.slice(0, -1);
  const lastStep = steps.at(-1);
  const spans = runSpans({ at: run.at, steps: endedSteps }, records);
  if (lastStep === undefined) return spans;
  const isAsked = isModelAsked(run);
  const lastTurn = turnSpan(lastStep, since);
  const lastSpan = isAsked
    ? {
        ...lastTurn,
        ms: elapsedMs(now, lastStep.at),
        isBad: false,
        isRunning: true,
        note: "under way",
      }
    : lastTurn;
  const openSpans = calls.map((call): Span => {
    const isRunning = call.status === null;
    const startedAt = call.at ?? lastStep.at;
    const ms = call.durationMs ?? elapsedMs(now, startedAt);
    const isWaiting = isRunning && waiting.has(call.id);
    return {
      key: `now ${call.id}`,
      name: call.tool,
      callId: call.record ?? undefined,
      startMs: since(startedAt),
      ms,
      depth: 1,
      isBad: call.status !== null && call.status !== "succeeded",
      isRunning: isRunning && !isWaiting,
      ...(isWaiting && { wait: { startMs: since(startedAt), ms } }),
      note: call.status ?? (isWaiting ? "waits for approval" : "under way"),
    };
  });
  return [
    ...spans,
    lastSpan,
    ...lastStep.calls.map((call) => callSpan(call, lastStep, since, records, 1)),
    ...openSpans,
  ];
}

/** Is the model at work, and not one of its calls? */
export function isModelAsked({ steps = [], calls }: Pick<RunningRun, "steps" | "calls">): boolean {
  const lastStep = steps.at(-1);
  return (
    lastStep !== undefined &&
    lastStep.finish === undefined &&
    lastStep.calls.length + calls.length === 0
  );
}

const sinceOf =
  (begunAt: string): TimeSince =>
  (time) =>
    Math.max(0, Date.parse(time) - Date.parse(begunAt));

const elapsedMs = (now: number, at: string) => Math.max(1, now - Date.parse(at));

function turnSpan({ turn, at: startedAt, modelMs, finish }: AgentStep, since: TimeSince): Span {
  return {
    key: `turn ${turn}`,
    name: `model, turn ${turn}`,
    startMs: since(startedAt),
    ms: modelMs,
    depth: 0,
    isModel: true,
    isBad: !isOwnFinish(finish),
    note: renderFinish(finish),
  };
}

function callSpan(
  call: AgentCall,
  step: AgentStep,
  since: TimeSince,
  records: CallRecords,
  depth: number,
): Span {
  const startMs = call.at === undefined ? since(step.at) + step.modelMs : since(call.at);
  const wait = waitOf(call.record, records, startMs);
  return {
    callId: call.record ?? undefined,
    key: `turn ${step.turn} ${depth} ${call.id}`,
    name: call.tool,
    depth,
    ms: call.durationMs,
    note: wait ? `${call.status}, waited for approval` : call.status,
    startMs,
    isBad: call.status !== "succeeded" && call.status !== "waiting",
    ...(wait && { wait }),
  };
}

/** From the first stage to the answer of a person. */
function waitOf(id: string | null, records: CallRecords, startMs: number): Span["wait"] {
  const record = id === null ? undefined : records.get(id);
  if (
    !record?.approval ||
    (record.approval.approvalId === undefined && record.approval.verdict !== "ask")
  )
    return;
  const approveIndex = record.stages.findIndex(({ stage }) => stage === "approve");
  const ms = record.stages[approveIndex]?.ms ?? 0;
  const beforeMs = record.stages
    .slice(0, Math.max(0, approveIndex))
    .reduce((sum, stage) => sum + stage.ms, 0);
  return ms === 0 ? undefined : { startMs: startMs + beforeMs, ms };
}

function withProgram(
  span: Span,
  call: AgentCall,
  programs: Programs,
  since: TimeSince,
  records: CallRecords,
): Span[] {
  const program = programs.get(call.id);
  if (program === undefined) return [span];
  const programSpans = program.steps.flatMap((step) =>
    step.calls.map((programCall) => ({
      ...callSpan(programCall, step, since, records, 2),
      key: `${span.key} ${programCall.id}`,
    })),
  );
  return [span, ...programSpans];
}
