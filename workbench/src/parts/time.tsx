import { useSyncExternalStore } from "react";

const everyMs = 10_000;
const steps: [number, Intl.RelativeTimeFormatUnit][] = [
  [60, "second"],
  [60, "minute"],
  [24, "hour"],
  [30, "day"],
  [12, "month"],
  [Number.POSITIVE_INFINITY, "year"],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "narrow" });
const exact = new Intl.DateTimeFormat(undefined, {
  dateStyle: "medium",
  timeStyle: "medium",
  hourCycle: "h23",
});
/** Day and time, in the reader's locale. */
export const exactTime = (at: string) =>
  Number.isNaN(Date.parse(at)) ? at : exact.format(new Date(at));
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

/** `09:05`, in any locale. */
export const renderClock = (at: number | string) => clock.format(new Date(at));

const moment = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
});

/** `09:05:00.123`, in any locale. */
export const renderMoment = (at: string) => moment.format(new Date(at));

/** One clock for every time on the page. */
const listeners = new Set<() => void>();
let tick = Date.now();
let timer: ReturnType<typeof setInterval> | null = null;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    tick = Date.now();
    for (const tell of listeners) tell();
  }, everyMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

/** A relative time at a readable precision. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => tick);
}

export function renderAgo(at: string | number, now: number): string {
  let amount = (new Date(at).getTime() - now) / 1_000;
  if (Math.abs(amount) < 5) return "now";
  for (const [size, unit] of steps) {
    if (Math.abs(Math.round(amount)) < size) return relative.format(Math.round(amount), unit);
    amount /= size;
  }
  return String(at);
}

/** How long ago; the exact time beside it with `full`, otherwise on hover. */
export function Time({ at, full = false }: { at: string | null; full?: boolean }) {
  useNow();
  const now = Date.now();
  if (at === null) return <span className="text-muted">–</span>;
  return (
    <time dateTime={at} title={exact.format(new Date(at))}>
      {renderAgo(at, now)}
      {full && <span className="text-muted"> ({exact.format(new Date(at))})</span>}
    </time>
  );
}

export function renderDuration(ms: number): string {
  if (ms < 1) return `${ms.toFixed(2)} ms`;
  if (ms < 1_000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : `${(ms / 60_000).toFixed(1)} min`;
}

/** `1 tool`, `2 tools`. */
export const counted = (count: number, one: string, many = `${one}s`) =>
  `${renderCount(count)} ${count === 1 ? one : many}`;

const whole = new Intl.NumberFormat("en");

/** `97.2 %`; only 100 % itself is shown as 100 %. */
export function renderPercent(percent: number): string {
  const shown = percent > 99 && percent < 100 ? Math.floor(percent * 10) / 10 : percent;
  return `${shown.toFixed(shown > 0 && shown < 100 ? 1 : 0)} %`;
}

export const renderCount = (count: number) => whole.format(count);

const sizes = ["kB", "MB", "GB"];

/** `5 bytes`, `1.4 MB`. */
export function renderBytes(bytes: number): string {
  if (bytes < 1_000) return counted(bytes, "byte");
  const step = Math.min(sizes.length, Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1_000 ** step;
  return `${amount.toFixed(amount < 10 ? 1 : 0)} ${sizes[step - 1]}`;
}
