/** What a timer can hold, about 25 days. */
const longestTimerMs = 2 ** 31 - 1;

export type TimeLimiter = {
  signal: AbortSignal;
  /** Did the limit, and not the caller, end it? */
  expired(): boolean;
  /** Starts the limit again, but never beyond `capMs` in all. */
  extend(): void;
  clear(): void;
};

/** A signal that ends when the caller gives up or when the limit is over. 0 is no limit. */
export function limitTime(limitMs: number, capMs: number, caller?: AbortSignal): TimeLimiter {
  const controller = new AbortController();
  const startedAt = Date.now();
  let expired = false;
  let cleared = false;
  let timer: NodeJS.Timeout | undefined;
  const onCallerAbort = () => controller.abort(caller?.reason);
  const arm = () => {
    if (limitMs === 0 || cleared) return;
    clearTimeout(timer);
    const left = Math.min(limitMs, startedAt + capMs - Date.now());
    timer = setTimeout(expire, Math.min(longestTimerMs, Math.max(0, left)));
  };
  const expire = () => {
    expired = true;
    controller.abort(new Error("time limit"));
  };
  if (caller?.aborted) onCallerAbort();
  else caller?.addEventListener("abort", onCallerAbort, { once: true });
  arm();
  return {
    signal: controller.signal,
    expired: () => expired,
    extend: arm,
    clear() {
      cleared = true;
      clearTimeout(timer);
      caller?.removeEventListener("abort", onCallerAbort);
    },
  };
}
