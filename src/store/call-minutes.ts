import type { CallStatus } from "../model/call.ts";
import type { CallTimes, CountedSteps, SeriesSpan } from "../model/call-series.ts";
import type { CallColumns } from "../model/store.ts";

export const minuteMs = 60_000;
/** So long is counted what began in a minute; longer than anybody may ask for. */
const keptMinutes = 8 * 24 * 60;

/** Eight steps double a time, so what is told of it is right to a twentieth. */
const stepsPerDoubling = 8;
const shortestMs = 0.001;
const unknownStep = -1_000;

export type MinuteCount = { minute: number; user: string; status: string; took: number; calls: number };

/** Calls on their way into the store, those of one minute, user, status and step of time together. */
export function countMinutes(calls: readonly CallColumns[]): MinuteCount[] {
  const counts = new Map<string, MinuteCount>();
  for (const { at, status, principal, durationMs } of calls) {
    const minute = Math.floor(Date.parse(at) / minuteMs);
    if (Number.isNaN(minute)) continue;
    const [user, took] = [userKey(principal.user), stepOf(durationMs)];
    const key = `${minute} ${status} ${took} ${user}`;
    const known = counts.get(key);
    if (known) known.calls += 1;
    else counts.set(key, { minute, user, status, took, calls: 1 });
  }
  return [...counts.values()];
}

/** Minutes before this one are forgotten when `newest` is counted. */
export const oldestMinute = (newest: number) => newest - keptMinutes;

/** Nobody has no name. */
export const userKey = (user: string | null) => user ?? "";

type StepCount = { place: number; status: string; took: number; calls: number };

/** The minutes of a span, from the first to before the last. */
export function minutesOf({ since, steps, stepMs }: SeriesSpan): {
  from: number;
  until: number;
  each: number;
} {
  const [from, each] = [Math.floor(since / minuteMs), Math.round(stepMs / minuteMs)];
  return { from, until: from + steps * each, each };
}

/** What both stores tell of a span, from what they have counted of it. */
export function toCountedSteps(counts: readonly StepCount[]): CountedSteps {
  const places = Map.groupBy(counts, ({ place }) => place);
  const steps = [...places].map(([place, ofStep]) => {
    const byStatus: Partial<Record<CallStatus, number>> = {};
    for (const { status, calls } of ofStep)
      byStatus[status as CallStatus] = (byStatus[status as CallStatus] ?? 0) + calls;
    return { place, byStatus, ...timesOf(ofStep) };
  });
  return { steps: steps.sort((one, other) => one.place - other.place), ...timesOf(counts) };
}

function timesOf(counts: readonly StepCount[]): CallTimes {
  const known = counts
    .filter(({ took }) => took !== unknownStep)
    .toSorted((one, other) => one.took - other.took);
  const all = known.reduce((sum, { calls }) => sum + calls, 0);
  const below = (share: number) => {
    let seen = 0;
    const found = known.find(({ calls }) => {
      seen += calls;
      return seen >= all * share;
    });
    return found ? msOf(found.took) : null;
  };
  return { p50Ms: below(0.5), p95Ms: below(0.95) };
}

function stepOf(ms: number): number {
  return Math.round(Math.log2(Math.max(ms, shortestMs)) * stepsPerDoubling);
}

/** Three digits are all that is known. */
function msOf(step: number): number {
  return Number((2 ** (step / stepsPerDoubling)).toPrecision(3));
}
