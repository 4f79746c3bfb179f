import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import type { CallsAnswer } from "../../api/answers.ts";
import { get } from "../../api/client.ts";
import type { LiveEvent } from "../../api/event-stream.ts";
import { useLiveEvent } from "../../app/live-events.ts";

export type PastCall = { at: number; isError: boolean };

const most = 20_000;
const minuteMs = 60_000;

/** A tool that says no has answered; what a person has to decide has not gone wrong either. */
const errors: readonly string[] = ["failed", "refused"];

/** The last calls: asked for once, and then kept up by the events themselves, however many there are. */
export function useCallHistory() {
  const client = useQueryClient();
  useLiveEvent(
    useCallback(
      (event: LiveEvent["event"]) => {
        if (event.type !== "tool.result") return;
        const call = { at: Date.parse(event.at), isError: errors.includes(event.status) };
        client.setQueryData<PastCall[]>(["history"], (known) => known && [call, ...known].slice(0, most));
      },
      [client],
    ),
  );
  return useQuery({
    queryKey: ["history"],
    queryFn: async ({ signal }) => {
      const { calls } = await get<CallsAnswer>("/calls?limit=1000", signal);
      return calls.map(
        ({ at, status }): PastCall => ({ at: Date.parse(at), isError: errors.includes(status) }),
      );
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export type Minute = { at: number; good: number; bad: number };

/** So many minutes up to now, oldest first. */
export function byMinute(calls: readonly PastCall[], now: number, minutes: number): Minute[] {
  const first = (Math.floor(now / minuteMs) - minutes + 1) * minuteMs;
  const bins = Array.from({ length: minutes }, (_, at) => ({ at: first + at * minuteMs, good: 0, bad: 0 }));
  for (const { at, isError } of calls) {
    const bin = bins[Math.floor((at - first) / minuteMs)];
    if (bin) bin[isError ? "bad" : "good"] += 1;
  }
  return bins;
}
