import { withoutUndefined } from "../lib/json/plain-data.ts";
import type { CallColumns } from "../model/calls/call-columns.ts";
import {
  type CountedSteps,
  failedStatuses,
  maxSeriesMinutes,
  maxSeriesSteps,
  type SeriesQuery,
  type SeriesSpan,
} from "../model/calls/call-history.ts";
import type { CallCounts, CallSeries, CallStatus, CallTimes } from "../model/calls/call-schema.ts";
import { PlaneError } from "../model/errors.ts";
import type { Row } from "./tables/database.ts";

const minuteMs = 60_000;
/** More than a query may span. */
const keptMinutes = 8 * 24 * 60;

/** Durations are counted in a logarithmic histogram: eight buckets per doubling are exact to a twentieth. */
const bucketsPerDoubling = 8;
const shortestMs = 0.001;
/** Calls of earlier versions, which were counted without a duration. */
const unknownBucket = -1_000;

/** `took` is the histogram bucket. */
type MinuteCount = { minute: number; user: string; status: string; took: number; calls: number };
type StepCount = { place: number; status: CallStatus; took: number; calls: number };

/** One count for each minute, user, status and bucket. */
export function countMinutes(calls: readonly CallColumns[]): MinuteCount[] {
  const counts = new Map<string, MinuteCount>();
  for (const { at, status, principal, durationMs } of calls) {
    // It is counted once, when it is over.
    if (status === "waiting") continue;
    const minute = Math.floor(Date.parse(at) / minuteMs);
    if (Number.isNaN(minute)) continue;
    const user = userKey(principal.user);
    const took = bucketOf(durationMs);
    const key = `${minute} ${status} ${took} ${user}`;
    const counted = counts.get(key);
    if (counted) counted.calls += 1;
    else counts.set(key, { minute, user, status, took, calls: 1 });
  }
  return [...counts.values()];
}

/** Minutes before this one are removed when `newest` is counted, unless it comes from a clock that was ahead. */
export const oldestMinute = (newest: number) =>
  Math.min(newest, Math.floor(Date.now() / minuteMs)) - keptMinutes;

/** A key column cannot be NULL. */
export const userKey = (user: string | null) => user ?? "";

/** The minutes of a span; `until` is exclusive. */
export function minutesOf({ since, steps, stepMs }: SeriesSpan) {
  const from = Math.floor(since / minuteMs);
  const minutesPerStep = Math.round(stepMs / minuteMs);
  return { from, until: from + steps * minutesPerStep, minutesPerStep };
}

/** Of calls that are at hand, those within the span. */
export function countSteps(span: SeriesSpan, calls: readonly CallColumns[]): CountedSteps {
  const { from, until, minutesPerStep } = minutesOf(span);
  const inSpan = countMinutes(calls).filter(({ minute }) => minute >= from && minute < until);
  return toCountedSteps(
    inSpan.map(({ minute, status, took, calls: count }) => {
      return { place: Math.floor((minute - from) / minutesPerStep), status, took, calls: count };
    }),
  );
}

/** From rows of both stores. */
export function toCountedSteps(rows: readonly Row[]): CountedSteps {
  const counts = rows.map(
    ({ place, status, took, calls }): StepCount => ({
      place: Number(place),
      status: String(status) as CallStatus,
      took: Number(took),
      calls: Number(calls),
    }),
  );
  const steps = [...Map.groupBy(counts, ({ place }) => place)].map(([place, ofStep]) => {
    const byStatus: CallCounts["byStatus"] = {};
    for (const { status, calls } of ofStep) byStatus[status] = (byStatus[status] ?? 0) + calls;
    return { place, byStatus, ...timesOf(ofStep) };
  });
  return { steps: steps.sort((a, b) => a.place - b.place), ...timesOf(counts) };
}

function timesOf(counts: readonly StepCount[]): CallTimes {
  const measured = counts
    .filter(({ took }) => took !== unknownBucket)
    .toSorted((a, b) => a.took - b.took);
  const totalCalls = measured.reduce((sum, { calls }) => sum + calls, 0);
  const percentile = (share: number) => {
    let callsSoFar = 0;
    const count = measured.find(({ calls }) => {
      callsSoFar += calls;
      return callsSoFar >= totalCalls * share;
    });
    return count ? msOf(count.took) : null;
  };
  return { p50Ms: percentile(0.5), p95Ms: percentile(0.95) };
}

function bucketOf(ms: number): number {
  return Math.round(Math.log2(Math.max(ms, shortestMs)) * bucketsPerDoubling);
}

/** A bucket is known to three digits. */
function msOf(bucket: number): number {
  return Number((2 ** (bucket / bucketsPerDoubling)).toPrecision(3));
}

/** Steps are aligned to the clock: at a full minute, hour or multiple of their length. */
export function spanOf(
  { minutes = 60, stepMinutes = 1, user }: SeriesQuery,
  now: number,
): SeriesSpan {
  const stepMs = Math.round(stepMinutes) * minuteMs;
  const steps = Math.ceil((minutes * minuteMs) / stepMs);
  if (!(stepMs > 0 && steps > 0 && steps <= maxSeriesSteps && minutes <= maxSeriesMinutes))
    throw new PlaneError(
      "USAGE",
      `${minutes} minutes in steps of ${stepMinutes} are not 1 to ${maxSeriesSteps} steps. Ask for at most ${maxSeriesMinutes} minutes, or for longer steps.`,
      { data: { parameter: "step" } },
    );
  const since = (Math.floor(now / stepMs) - steps + 1) * stepMs;
  return { since, steps, stepMs, ...withoutUndefined({ user }) };
}

/** Every step of the span, also those without calls. */
export function toSeries(span: SeriesSpan, { steps, ...times }: CountedSteps): CallSeries {
  const { since, stepMs } = span;
  const counted = new Map(steps.map((step) => [step.place, step]));
  const emptyStep = { byStatus: {}, p50Ms: null, p95Ms: null };
  const byStatus: CallCounts["byStatus"] = {};
  for (const step of steps)
    for (const [status, calls] of Object.entries(step.byStatus) as [CallStatus, number][])
      byStatus[status] = (byStatus[status] ?? 0) + calls;
  return {
    since: new Date(since).toISOString(),
    until: new Date(since + span.steps * stepMs).toISOString(),
    stepMs,
    steps: Array.from({ length: span.steps }, (_, index) => ({
      at: new Date(since + index * stepMs).toISOString(),
      ...withTotals(counted.get(index) ?? emptyStep),
    })),
    total: withTotals({ byStatus, ...times }),
  };
}

function withTotals({ byStatus, p50Ms, p95Ms }: CallCounts) {
  const calls = Object.values(byStatus).reduce((sum, count) => sum + count, 0);
  const errors = failedStatuses.reduce((sum, status) => sum + (byStatus[status] ?? 0), 0);
  return { calls, errors, byStatus, p50Ms, p95Ms };
}
