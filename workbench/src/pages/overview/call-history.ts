import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import type { CallSeries } from "../../../../src/model/calls/call-history.ts";
import type { LiveEvent } from "../../api/event-stream.ts";
import { seriesQuery } from "../../api/history-queries.ts";
import { useLiveEvent } from "../../app/live-events.ts";
import { withCall } from "./call-series.ts";

/** The last hour's calls: counted by the plane, updated by events. */
export function useCallHistory() {
  const client = useQueryClient();
  useLiveEvent(
    useCallback(
      (event: LiveEvent["event"]) => {
        if (event.type !== "tool.result") return;
        client.setQueryData<CallSeries>(
          seriesQuery().queryKey,
          (series) => series && withCall(series, Date.parse(event.at), event.status),
        );
      },
      [client],
    ),
  );
  return useQuery(seriesQuery());
}
