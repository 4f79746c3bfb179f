import type { CallStatus } from "../model/call.ts";
import {
  type CallCounts,
  type CallSeries,
  type CountedSteps,
  failedStatuses,
  maxSeriesMinutes,
  maxSeriesSteps,
  type SeriesQuery,
  type SeriesSpan,
} from "../model/call-series.ts";
import { PlaneError } from "../model/errors.ts";

/** A step begins where it begins for everybody: at a full minute, hour or whatever it is long. */
export function spanOf({ minutes = 60, stepMinutes = 1, user }: SeriesQuery, now: number): SeriesSpan {
  const stepMs = Math.round(stepMinutes) * 60_000;
  const steps = Math.ceil((minutes * 60_000) / stepMs);
  if (!(stepMs > 0 && steps > 0 && steps <= maxSeriesSteps && minutes <= maxSeriesMinutes))
    throw new PlaneError(
      "USAGE",
      `${minutes} minutes in steps of ${stepMinutes} are not 1 to ${maxSeriesSteps} steps. Ask for at most ${maxSeriesMinutes} minutes, or for longer steps.`,
      { data: { parameter: "step" } },
    );
  const since = (Math.floor(now / stepMs) - steps + 1) * stepMs;
  return { since, steps, stepMs, ...(user === undefined ? {} : { user }) };
}

/** Every step, those without calls too. */
export function toSeries(span: SeriesSpan, { steps, ...times }: CountedSteps): CallSeries {
  const { since, stepMs } = span;
  const counted = new Map(steps.map((step) => [step.place, step]));
  const nothing = { byStatus: {}, p50Ms: null, p95Ms: null };
  const byStatus: CallCounts["byStatus"] = {};
  for (const step of steps)
    for (const [status, calls] of Object.entries(step.byStatus) as [CallStatus, number][])
      byStatus[status] = (byStatus[status] ?? 0) + calls;
  return {
    since: new Date(since).toISOString(),
    until: new Date(since + span.steps * stepMs).toISOString(),
    stepMs,
    steps: Array.from({ length: span.steps }, (_, place) => ({
      at: new Date(since + place * stepMs).toISOString(),
      ...summed(counted.get(place) ?? nothing),
    })),
    total: summed({ byStatus, ...times }),
  };
}

function summed({ byStatus, p50Ms, p95Ms }: CallCounts) {
  const calls = Object.values(byStatus).reduce((sum, count) => sum + count, 0);
  const errors = failedStatuses.reduce((sum, status) => sum + (byStatus[status] ?? 0), 0);
  return { calls, errors, byStatus, p50Ms, p95Ms };
}
