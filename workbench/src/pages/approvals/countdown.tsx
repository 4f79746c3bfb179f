import { useSyncExternalStore } from "react";
import { classes } from "../../parts/class-names.ts";

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

/** One clock for all of them, while any is shown. */
const listeners = new Set<() => void>();
let tick = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    tick = Date.now();
    for (const listener of listeners) listener();
  }, secondMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time that is left, by the second; red in the last minute. */
export function Countdown({ until }: { until: string }) {
  const now = useSyncExternalStore(subscribe, () => tick);
  const leftMs = Math.max(0, Date.parse(until) - now);
  return (
    <time
      dateTime={until}
      title={`Expires at ${new Date(until).toLocaleTimeString()}`}
      className={classes(
        "whitespace-nowrap tabular-nums",
        leftMs < minuteMs ? "font-medium text-bad" : "text-muted",
      )}
    >
      {renderLeft(leftMs)}
    </time>
  );
}

function renderLeft(ms: number): string {
  if (ms >= 60 * minuteMs) return `${Math.floor(ms / (60 * minuteMs))} h left`;
  const seconds = Math.floor(ms / secondMs);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} left`;
}
