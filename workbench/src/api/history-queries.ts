import { queryOptions } from "@tanstack/react-query";
import type { CallSeries } from "../../../src/model/calls/call-history.ts";
import { get } from "./client.ts";

/** Events update the counts between; durations come from the plane. */
const everyMs = 60_000;

/** The last hour, minute by minute. */
export const seriesQuery = () =>
  queryOptions({
    queryKey: ["series"],
    queryFn: ({ signal }) => get<CallSeries>("/calls/series", signal),
    refetchInterval: everyMs,
  });
