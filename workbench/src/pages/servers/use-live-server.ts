import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";
import type { LiveEvent } from "../../api/event-stream.ts";
import { serverQuery } from "../../api/queries.ts";
import { useLiveEvent } from "../../app/live-events.ts";

/** Refetches at most once in this time. */
const throttleMs = 1_000;

/** One server, refetched when its calls change. */
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
        }, throttleMs);
      },
      [client, name],
    ),
  );
  return useQuery(serverQuery(name));
}

function isAbout(event: LiveEvent["event"], server: string): boolean {
  if (event.type === "tool.result") return event.server === server;
  // The call may use another spelling; its result then refreshes.
  return event.type === "tool.call" && event.tool.startsWith(`${server}.`);
}
