import type { CallStatus } from "./call.ts";

/**
 * What the error rate counts, as the health of a tool does: a tool error is an error for whoever called. What a person has to
 * decide has not gone wrong.
 */
export const failedStatuses = ["failed", "refused", "tool_error"] as const satisfies readonly CallStatus[];

/** Half of the calls, and all but one of twenty, took no longer than this, give or take a twentieth; null where nobody knows. */
export type CallTimes = { p50Ms: number | null; p95Ms: number | null };

export type CallCounts = CallTimes & { byStatus: Partial<Record<CallStatus, number>> };

/** From `since` on, as many steps of `stepMs`; all are full minutes. */
export type SeriesSpan = { since: number; steps: number; stepMs: number; user?: string | null };

/** What a store knows of a span of time: steps without calls are left out, `place` is the number of each. */
export type CountedSteps = CallTimes & { steps: (CallCounts & { place: number })[] };

export type SeriesStep = CallCounts & { at: string; calls: number; errors: number };

/** Calls by the time they began at, oldest step first; the last one is not over yet. */
export type CallSeries = {
  since: string;
  until: string;
  stepMs: number;
  steps: SeriesStep[];
  total: Omit<SeriesStep, "at">;
};

export type SeriesQuery = {
  /** How far back; an hour when left out. */
  minutes?: number;
  /** How long a step is; one minute when left out. */
  stepMinutes?: number;
  /** Whose calls; null is nobody's. */
  user?: string | null;
};

/** More than anybody can tell apart in a plot. */
export const maxSeriesSteps = 1_440;
/** A week. */
export const maxSeriesMinutes = 7 * 24 * 60;
