export type Backoff = {
  firstMs: number;
  maxMs?: number;
  /** How much longer each wait is than the one before. Default: 2. */
  factor?: number;
  /** The share by which a wait is shorter or longer, so that many do not return in one moment. Default: 0. */
  jitter?: number;
};

/** How long to wait after so many failures in a row, counted from 1. */
export function backoffMs(
  { firstMs, maxMs = Number.POSITIVE_INFINITY, factor = 2, jitter = 0 }: Backoff,
  failures: number,
  random: () => number = Math.random,
): number {
  return spreadMs(Math.min(maxMs, firstMs * factor ** (failures - 1)), jitter, random);
}

export function spreadMs(ms: number, jitter: number, random: () => number = Math.random): number {
  return jitter === 0 ? ms : Math.round(ms * (1 + jitter * (2 * random() - 1)));
}
