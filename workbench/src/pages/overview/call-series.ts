import { failedStatuses } from "../../../../src/model/calls/call-history.ts";
import type {
  CallSeries,
  CallStatus,
  SeriesStep,
} from "../../../../src/model/calls/call-schema.ts";

/** Adds a call, in a new minute if needed. */
export function withCall(series: CallSeries, at: number, status: CallStatus): CallSeries {
  const moved = upTo(series, at);
  const place = Math.floor((at - Date.parse(moved.since)) / moved.stepMs);
  if (moved.steps[place] === undefined) return moved;
  return {
    ...moved,
    steps: moved.steps.with(place, {
      ...moved.steps[place],
      ...counted(moved.steps[place], status),
    }),
    total: { ...moved.total, ...counted(moved.total, status) },
  };
}

/** Moves the hour on and drops older minutes. */
export function upTo(series: CallSeries, now: number): CallSeries {
  const { stepMs } = series;
  const late = Math.min(
    series.steps.length,
    Math.max(0, Math.floor((now - Date.parse(series.until)) / stepMs) + 1),
  );
  if (late === 0) return series;
  const later = (time: string, steps: number) =>
    new Date(Date.parse(time) + steps * stepMs).toISOString();
  const gone = series.steps.slice(0, late);
  const added = Array.from({ length: late }, (_, place) => ({
    ...nothing,
    at: later(series.until, place),
  }));
  const lost = (count: (step: SeriesStep) => number) =>
    gone.reduce((sum, step) => sum + count(step), 0);
  return {
    ...series,
    since: later(series.since, late),
    until: later(series.until, late),
    steps: [...series.steps.slice(late), ...added],
    total: {
      ...series.total,
      calls: series.total.calls - lost(({ calls }) => calls),
      errors: series.total.errors - lost(({ errors }) => errors),
    },
  };
}

const nothing = { calls: 0, errors: 0, byStatus: {}, p50Ms: null, p95Ms: null };
const failed: readonly string[] = failedStatuses;

function counted({ calls, errors }: Pick<SeriesStep, "calls" | "errors">, status: CallStatus) {
  return { calls: calls + 1, errors: errors + (failed.includes(status) ? 1 : 0) };
}
