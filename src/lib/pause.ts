/** What a timer can hold, about 25 days. */
export const maxTimerMs = 2 ** 31 - 1;

export type PauseOptions = {
  signal?: AbortSignal | undefined;
  /** Nobody waits for what comes after it, so it does not keep the process. */
  isBackground?: boolean;
};

/** Ends early, and quietly, when the signal says so. */
export function pause(ms: number, { signal, isBackground = false }: PauseOptions = {}): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, Math.min(maxTimerMs, ms));
    if (isBackground) timer.unref();
    signal?.addEventListener("abort", done, { once: true });
    if (signal?.aborted) done();
  });
}
