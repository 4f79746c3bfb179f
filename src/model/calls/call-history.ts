import type { ErrorCode } from "../errors.ts";
import type { Face } from "../principal.ts";
import type { CallStatus } from "./call.ts";

/** How many calls are remembered, and how much of what each said. */
export const activityLimits = { calls: 100, characters: 256 } as const;

/** One of the last calls, in short. Kept in memory only; what looks like a secret is hidden. */
export type ActivityEntry = {
  id: string;
  at: string;
  tool: string;
  user: string | null;
  face: Face;
  status: CallStatus;
  durationMs: number;
  arguments: string;
  result: string | null;
  code: ErrorCode | null;
};

/** What the hash chain over the recorded calls says. */
export type CallChain = {
  ok: boolean;
  /** So many calls are recorded and were looked at. */
  calls: number;
  /** So many of them are older than the chain, and nothing can be said about them. */
  unchained: number;
  /** Where older calls were removed because of their age. */
  checkpoints: { at: string; removed: number }[];
  /** The hash of the newest call; keep it elsewhere to check for it later. */
  head: string | null;
  /** The first call at which the chain is broken. */
  broken: { id: string; at: string; reason: string } | null;
  /** Is the hash that was asked for in the chain? Null when none was. */
  headFound: boolean | null;
};

/**
 * What the error rate counts, as the health of a tool does: a tool error is an error for the caller. What a person has to
 * decide has not gone wrong.
 */
export const failedStatuses = ["failed", "refused", "tool_error"] as const satisfies readonly CallStatus[];

/** Half of the calls, and all but one of twenty, took no longer than this, give or take a twentieth; null where unknown. */
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
  /** Whose calls; null is anonymous. */
  user?: string | null;
};

/** More than anybody can tell apart in a plot. */
export const maxSeriesSteps = 1_440;
/** A week. */
export const maxSeriesMinutes = 7 * 24 * 60;
