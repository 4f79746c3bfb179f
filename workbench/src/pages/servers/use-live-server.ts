import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";
import type { LiveEvent } from "../../api/event-stream.ts";
import { serverQuery } from "../../api/queries.ts";
import { useLiveEvent } from "../../app/live-events.ts";

/** However many calls there are, it is asked about once in this time. */
const restMs = 1_000;

/** One server with what is asked of it right now: its calls change that, and say so. */
export function useLiveServer(name: string) {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
      timer.current = null;
    },
    [],
  );
  useLiveEvent(
    useCallback(
      (event: LiveEvent["event"]) => {
        if (!isAbout(event, name)) return;
        timer.current ??= setTimeout(() => {
          timer.current = null;
          void client.invalidateQueries({ queryKey: serverQuery(name).queryKey });
        }, restMs);
      },
      [client, name],
    ),
  );
  return useQuery(serverQuery(name));
}

function isAbout(event: LiveEvent["event"], server: string): boolean {
  if (event.type === "tool.result") return event.server === server;
  // A name may be another spelling; then its end tells.
  return event.type === "tool.call" && event.tool.startsWith(`${server}.`);
}
