import { maxTimerMs } from "./pause.ts";
import { steadyNow } from "./steady-time.ts";

export type TimeLimiter = ReturnType<typeof limitTime>;

/** Aborts with the caller or at the limit. 0 is no limit. */
export function limitTime(limitMs: number, capMs: number, caller?: AbortSignal) {
  const controller = new AbortController();
  let expired = false;
  let cleared = false;
  let timer: NodeJS.Timeout | undefined;
  let paused = 0;
  let pausedAt = 0;
  let dueAt = 0;
  let lastAt = steadyNow() + capMs;
  const onCallerAbort = () => {
    clearTimeout(timer);
    controller.abort(caller?.reason);
  };
  const arm = () => {
    if (limitMs === 0 || cleared || paused > 0 || controller.signal.aborted) return;
    clearTimeout(timer);
    const left = Math.min(dueAt, lastAt) - steadyNow();
    timer = setTimeout(expire, Math.min(maxTimerMs, Math.max(0, left)));
  };
  const extend = (forMs = limitMs) => {
    dueAt = (paused > 0 ? pausedAt : steadyNow()) + forMs;
    arm();
  };
  const expire = () => {
    expired = true;
    clearTimeout(timer);
    controller.abort(new Error("time limit"));
  };
  if (caller?.aborted) onCallerAbort();
  else caller?.addEventListener("abort", onCallerAbort, { once: true });
  extend();
  return {
    signal: controller.signal as AbortSignal,
    /** Did the limit, not the caller, end it? */
    expired: () => expired,
    /** Infinite without a limit. */
    leftMs(): number {
      if (limitMs === 0) return Number.POSITIVE_INFINITY;
      return Math.max(0, Math.min(dueAt, lastAt) - (paused > 0 ? pausedAt : steadyNow()));
    },
    /** Restarts the limit, never beyond `capMs` in all. */
    extend,
    /** It was over before. */
    expire,
    /** Stops the clock until the returned function is called. */
    pause(): () => void {
      if (paused === 0) pausedAt = steadyNow();
      paused += 1;
      clearTimeout(timer);
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        paused -= 1;
        if (paused > 0) return;
        const stoodMs = steadyNow() - pausedAt;
        dueAt += stoodMs;
        lastAt += stoodMs;
        arm();
      };
    },
    clear(): void {
      cleared = true;
      clearTimeout(timer);
      caller?.removeEventListener("abort", onCallerAbort);
    },
  };
}
