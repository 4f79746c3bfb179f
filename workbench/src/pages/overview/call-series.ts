import { failedStatuses } from "../../../../src/model/calls/call-history.ts";
import type {
  CallSeries,
  CallStatus,
  SeriesStep,
} from "../../../../src/model/calls/call-schema.ts";

/** Adds a call, in a new minute if needed. */
export function withCall(series: CallSeries, calledAt: number, status: CallStatus): CallSeries {
  const moved = upTo(series, calledAt);
  const stepIndex = Math.floor((calledAt - Date.parse(moved.since)) / moved.stepMs);
  if (moved.steps[stepIndex] === undefined) return moved;
  return {
    ...moved,
    steps: moved.steps.with(stepIndex, {
      ...moved.steps[stepIndex],
      ...counted(moved.steps[stepIndex], status),
    }),
    total: { ...moved.total, ...counted(moved.total, status) },
  };
}

/** Moves the hour on and drops older minutes. */
export function upTo(series: CallSeries, now: number): CallSeries {
  const { stepMs } = series;
  const newSteps = Math.min(
    series.steps.length,
    Math.max(0, Math.floor((now - Date.parse(series.until)) / stepMs) + 1),
  );
  if (newSteps === 0) return series;
  const shiftTime = (time: string, steps: number) =>
    new Date(Date.parse(time) + steps * stepMs).toISOString();
  const droppedSteps = series.steps.slice(0, newSteps);
  const added = Array.from({ length: newSteps }, (_, index) => ({
    ...emptyStep,
    at: shiftTime(series.until, index),
  }));
  const sumDropped = (count: (step: SeriesStep) => number) =>
    droppedSteps.reduce((sum, step) => sum + count(step), 0);
  return {
    ...series,
    since: shiftTime(series.since, newSteps),
    until: shiftTime(series.until, newSteps),
    steps: [...series.steps.slice(newSteps), ...added],
    total: {
      ...series.total,
      calls: series.total.calls - sumDropped(({ calls }) => calls),
      errors: series.total.errors - sumDropped(({ errors }) => errors),
    },
  };
}

const emptyStep = { calls: 0, errors: 0, byStatus: {}, p50Ms: null, p95Ms: null };
const failedStatusNames: readonly string[] = failedStatuses;

function counted({ calls, errors }: Pick<SeriesStep, "calls" | "errors">, status: CallStatus) {
  return { calls: calls + 1, errors: errors + (failedStatusNames.includes(status) ? 1 : 0) };
}
