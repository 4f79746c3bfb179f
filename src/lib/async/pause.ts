/** About 25 days. */
export const maxTimerMs = 2 ** 31 - 1;

type PauseOptions = {
  signal?: AbortSignal | undefined;
  /** Does not keep the process alive. */
  isBackground?: boolean;
};

/** Ends early, without an error, when the signal aborts. */
export function pause(
  ms: number,
  { signal, isBackground = false }: PauseOptions = {},
): Promise<void> {
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

/** Whether it settles in this time. Rejects as it does. */
export async function isWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const over = new AbortController();
  try {
    return await Promise.race([
      work.then(() => true),
      pause(ms, { signal: over.signal }).then(() => false),
    ]);
  } finally {
    over.abort();
  }
}

type Backoff = {
  firstMs: number;
  maxMs?: number;
  /** Default: 2. */
  factor?: number;
  /** The random share of a wait, so that many do not return at once. Default: 0. */
  jitter?: number;
};

/** After so many failures in a row, counted from 1. */
export function backoffMs(
  { firstMs, maxMs = Number.POSITIVE_INFINITY, factor = 2, jitter = 0 }: Backoff,
  failures: number,
  random: () => number = Math.random,
): number {
  return spreadMs(Math.min(maxMs, firstMs * factor ** (failures - 1)), jitter, random);
}

export function spreadMs(ms: number, jitter: number, random: () => number = Math.random): number {
  if (jitter === 0) return ms;
  return Math.round(ms * (1 + jitter * (2 * random() - 1)));
}

const usualMs = 4;

/** Yields to the event loop after each slice of long work. */
export function yieldEvery(ms = usualMs) {
  let begunAt = performance.now();
  return {
    isOver: () => performance.now() - begunAt >= ms,
    async next(): Promise<void> {
      await new Promise(setImmediate);
      begunAt = performance.now();
    },
  };
}
