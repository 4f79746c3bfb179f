/**
 * Makes a value on first use; `made` tells without making it. A failure or a rejected promise is retried,
 * `retryAfterMs` later.
 */
export function once<T>(make: () => T, retryAfterMs = 0): (() => T) & { made(): boolean } {
  let value: { made: T; failedAt?: number } | undefined;
  const get = () => {
    if (value?.failedAt !== undefined && performance.now() - value.failedAt >= retryAfterMs)
      value = undefined;
    if (value) return value.made;
    const current: { made: T; failedAt?: number } = { made: make() };
    value = current;
    if (current.made instanceof Promise)
      current.made.catch(() => {
        current.failedAt = performance.now();
      });
    return current.made;
  };
  return Object.assign(get, { made: () => value !== undefined && value.failedAt === undefined });
}

/** Calls run one after the other. */
export function serialized<Args extends unknown[], R>(
  work: (...args: Args) => Promise<R>,
): (...args: Args) => Promise<R> {
  let before: Promise<unknown> = Promise.resolve();
  return (...args) => {
    const next = before.then(() => work(...args));
    before = next.catch(() => undefined);
    return next;
  };
}

type Step = () => unknown;

/** Runs all steps in order, those of an inner list together. Throws the first failure at the end. */
export async function runAll(steps: readonly (Step | readonly Step[])[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    const settled = await Promise.allSettled([step].flat().map(async (one) => one()));
    for (const one of settled) if (one.status === "rejected") failures.push(one.reason);
  }
  if (failures.length > 0) throw failures[0];
}
