import type { AnswerOf } from "../../../src/operations/operations.ts";
import { operationQuery } from "./operations.ts";
import type { CallFilter } from "./queries.ts";

/** Events update the counts between; durations come from the plane. */
const refetchMs = 60_000;

/** Spans of time and how long their steps are. */
export const ranges = {
  hour: { title: "Last hour", minutes: 60, step: 1 },
  day: { title: "Last day", minutes: 1_440, step: 20 },
  week: { title: "Last week", minutes: 10_080, step: 120 },
} as const;
export type Range = keyof typeof ranges;

export const seriesQuery = (range: Range = "hour") => {
  const { minutes, step } = ranges[range];
  return operationQuery("calls.series", { minutes, step }, { refetchInterval: refetchMs });
};

export type CallSummary = AnswerOf<"calls.summary">;

export const summaryQuery = (range: Range) =>
  // A week is read for it.
  operationQuery(
    "calls.summary",
    { minutes: ranges[range].minutes },
    { staleTime: range === "hour" ? 0 : refetchMs },
  );

/** What stands out among the calls of a time. */
export const filteredSummaryQuery = (filter: CallFilter & { since: string }) =>
  operationQuery("calls.summary", filter, { staleTime: refetchMs });

export type RunningRun = AnswerOf<"runs.running">["runs"][number];

/** Runs of agents that have not ended. */
export const runningRunsQuery = () => operationQuery("runs.running", {});

/** Between its events a model writes for a while. */
const liveMs = 1_000;

/** One of them with all it has done so far; undefined when it has ended. */
export const liveRunQuery = (id: string) =>
  operationQuery(
    "runs.running",
    { id },
    {
      select: ({ runs }) => runs[0] ?? null,
      refetchInterval: ({ state: { data } }) => (data?.runs.length ? liveMs : false),
    },
  );

/** Calls that have not ended. */
export const runningQuery = () => operationQuery("calls.running", {});
