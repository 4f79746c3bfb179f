import { PlaneError } from "../errors.ts";
import { type ColumnFilter, columnFields } from "./call-columns.ts";
import type { CallCounts, CallStatus, CallTimes } from "./call-schema.ts";

export const activityLimits = { calls: 100, characters: 256 } as const;

export type VerifyOptions = {
  /** A hash of an earlier check, kept elsewhere: is it still there? */
  head?: string;
  /** Only records of this day or moment and later, such as `2026-11-01`. */
  since?: string;
  /** Only records up to the end of this day, or up to this moment. */
  until?: string;
  /** A root that was kept elsewhere: its hash, or the whole line as it was exported; or many such lines. */
  root?: string;
  /** The public key that has signed the roots, as base64; several with commas between them. */
  key?: string;
  /** How old records had to be when they were removed. Default: `calls.keepDays`. */
  keepDays?: number;
};

/** Times as records write them: a day, which their time begins with, or a moment. Throws USAGE. */
export function checkVerifyOptions(options: VerifyOptions): VerifyOptions {
  const { since, until } = options;
  return {
    ...options,
    ...(since === undefined ? {} : { since: toRecordTime("since", since) }),
    ...(until === undefined ? {} : { until: toRecordTime("until", until) }),
  };
}

function toRecordTime(name: string, moment: string): string {
  const ms = Date.parse(moment);
  if (Number.isNaN(ms))
    throw new PlaneError(
      "USAGE",
      `'${name}' cannot be '${moment}': give a day such as 2026-11-15, or a moment.`,
    );
  return /^\d{4}-\d{2}-\d{2}$/.test(moment) ? moment : new Date(ms).toISOString();
}

const dayMs = 24 * 3_600_000;

/** The moments from one to before the other; a day is meant up to its end. Throws USAGE. */
export function momentsOf({ since, until }: { since?: string; until?: string }): {
  from: number;
  to: number;
} {
  const toMs = (name: string, given: string) => Date.parse(toRecordTime(name, given));
  return {
    from: since === undefined ? 0 : toMs("since", since),
    to:
      until === undefined
        ? Number.POSITIVE_INFINITY
        : toMs("until", until) + (/^\d{4}-\d{2}-\d{2}$/.test(until) ? dayMs : 0),
  };
}

/** What calls are found by. */
export type CallFilter = ColumnFilter & {
  /** A part of the tool's name, in upper or lower case. */
  match?: string;
  /** Calls that began on this day or at this moment, or later. With a time they are sorted by their beginning. */
  since?: string;
  /** Calls that began before this moment, or up to the end of this day. */
  until?: string;
  /** They took at least this long. */
  minMs?: number;
  maxMs?: number;
  /** By the amount, in whatever unit. */
  minCost?: number;
  user?: string | null;
  limit?: number;
  before?: string;
};

/** What people filter by: on the command line, in an address of the workbench. */
export const callFilterNames = [
  ...columnFields,
  "match",
  "since",
  "until",
  "minMs",
  "maxMs",
  "minCost",
  "user",
] as const satisfies (keyof CallFilter)[];
export type CallFilterName = (typeof callFilterNames)[number];

/** The end of a chain. A plane that shares its store with others has a stream of its own; 0 where it is left out. */
export type ChainHead = { sequence: number; hash: string; at: string; stream?: number };

/** Records that were stored and are no longer there: those after one time, up to another. */
export type Loss = { after: string | null; until: string };

/** What the error rate counts, as health does: a tool error is an error, a waiting call is not. */
export const failedStatuses = [
  "failed",
  "refused",
  "tool_error",
] as const satisfies readonly CallStatus[];

/** Full minutes. */
export type SeriesSpan = { since: number; steps: number; stepMs: number; user?: string | null };

/** Without empty steps; `place` numbers each. */
export type CountedSteps = CallTimes & { steps: (CallCounts & { place: number })[] };

export type SeriesQuery = {
  minutes?: number;
  stepMinutes?: number;
  user?: string | null;
};

/** More cannot be distinguished in a plot. */
export const maxSeriesSteps = 1_440;
export const maxSeriesMinutes = 7 * 24 * 60;
