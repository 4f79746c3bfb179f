import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import type { LiveEvent } from "../../api/event-stream.ts";
import { type Range, seriesQuery } from "../../api/history-queries.ts";
import { useLiveEvent } from "../../app/live-events.ts";
import { withCall } from "./call-series.ts";

/** The calls of a span of time: counted by the plane, updated by events. */
export function useCallHistory(range: Range) {
  const client = useQueryClient();
  useLiveEvent(
    useCallback(
      (event: LiveEvent["event"]) => {
        if (event.type !== "tool.result") return;
        client.setQueryData(
          seriesQuery(range).queryKey,
          (series) => series && withCall(series, Date.parse(event.at), event.status),
        );
      },
      [client, range],
    ),
  );
  return useQuery(seriesQuery(range));
}
