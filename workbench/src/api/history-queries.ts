import { queryOptions } from "@tanstack/react-query";
import type { AnswerOf } from "../../../src/operations/operations.ts";
import { get } from "./client.ts";

/** Events update the counts between; durations come from the plane. */
const everyMs = 60_000;

/** The last hour, minute by minute. */
export const seriesQuery = () =>
  queryOptions({
    queryKey: ["series"],
    queryFn: ({ signal }) => get<AnswerOf<"calls.series">>("/calls/series", signal),
    refetchInterval: everyMs,
  });
