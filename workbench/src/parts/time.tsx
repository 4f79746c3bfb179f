import { useSyncExternalStore } from "react";

const tickMs = 10_000;
const steps: [number, Intl.RelativeTimeFormatUnit][] = [
  [60, "second"],
  [60, "minute"],
  [24, "hour"],
  [30, "day"],
  [12, "month"],
  [Number.POSITIVE_INFINITY, "year"],
];
const relativeFormat = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "narrow" });
const exactFormat = new Intl.DateTimeFormat(undefined, {
  dateStyle: "medium",
  timeStyle: "medium",
  hourCycle: "h23",
});
/** Day and time, in the reader's locale. */
export const exactTime = (time: string) =>
  Number.isNaN(Date.parse(time)) ? time : exactFormat.format(new Date(time));
const clockFormat = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

/** `09:05`, in any locale. */
export const renderClock = (time: number | string) => clockFormat.format(new Date(time));

const momentFormat = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
});

/** `09:05:00.123`, in any locale. */
export const renderMoment = (time: string) => momentFormat.format(new Date(time));

/** One clock for every time on the page. */
const listeners = new Set<() => void>();
let lastTick = Date.now();
let timer: ReturnType<typeof setInterval> | null = null;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    lastTick = Date.now();
    for (const listener of listeners) listener();
  }, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

/** A relative time at a readable precision. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => lastTick);
}

export function renderAgo(time: string | number, now: number): string {
  let amount = (new Date(time).getTime() - now) / 1_000;
  if (Math.abs(amount) < 5) return "now";
  for (const [size, unit] of steps) {
    if (Math.abs(Math.round(amount)) < size) return relativeFormat.format(Math.round(amount), unit);
    amount /= size;
  }
  return String(time);
}

/** How long ago; the exact time beside it with `full`, otherwise on hover. */
export function Time({ at: time, full = false }: { at: string | null; full?: boolean }) {
  useNow();
  const now = Date.now();
  if (time === null) return <span className="text-muted">–</span>;
  return (
    <time dateTime={time} title={exactFormat.format(new Date(time))}>
      {renderAgo(time, now)}
      {full && <span className="text-muted"> ({exactFormat.format(new Date(time))})</span>}
    </time>
  );
}

export function renderDuration(ms: number): string {
  if (ms < 1) return `${ms.toFixed(2)} ms`;
  if (ms < 1_000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${(ms / 60_000).toFixed(1)} min`;
}

/** `1 tool`, `2 tools`. */
export const counted = (count: number, singular: string, plural = `${singular}s`) =>
  `${renderCount(count)} ${count === 1 ? singular : plural}`;

const countFormat = new Intl.NumberFormat("en");

/** `97.2 %`; only 100 % itself is shown as 100 %. */
export function renderPercent(percent: number): string {
  const rounded = percent > 99 && percent < 100 ? Math.floor(percent * 10) / 10 : percent;
  return `${rounded.toFixed(rounded > 0 && rounded < 100 ? 1 : 0)} %`;
}

export const renderCount = (count: number) => countFormat.format(count);

const sizes = ["kB", "MB", "GB"];

/** `5 bytes`, `1.4 MB`. */
export function renderBytes(bytes: number): string {
  if (bytes < 1_000) return counted(bytes, "byte");
  const step = Math.min(sizes.length, Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1_000 ** step;
  return `${amount.toFixed(amount < 10 ? 1 : 0)} ${sizes[step - 1]}`;
}
