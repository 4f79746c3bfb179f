/**
 * Makes a value on first use; `made` tells without making it. A failure or a rejected promise is retried,
 * `retryAfterMs` later.
 */
export function once<T>(make: () => T, retryAfterMs = 0): (() => T) & { made(): boolean } {
  let attempt: { made: T; failedAt?: number } | undefined;
  const get = () => {
    if (attempt?.failedAt !== undefined && performance.now() - attempt.failedAt >= retryAfterMs)
      attempt = undefined;
    if (attempt) return attempt.made;
    const newAttempt: { made: T; failedAt?: number } = { made: make() };
    attempt = newAttempt;
    if (newAttempt.made instanceof Promise)
      newAttempt.made.catch(() => {
        newAttempt.failedAt = performance.now();
      });
    return newAttempt.made;
  };
  return Object.assign(get, {
    made: () => attempt !== undefined && attempt.failedAt === undefined,
  });
}

/** Calls run one after the other. */
export function serialized<Args extends unknown[], R>(
  work: (...args: Args) => Promise<R>,
): (...args: Args) => Promise<R> {
  let previous: Promise<unknown> = Promise.resolve();
  return (...args) => {
    const next = previous.then(() => work(...args));
    previous = next.catch(() => undefined);
    return next;
  };
}

type Step = () => unknown;

/** Runs all steps in order, those of an inner list together. Throws the first failure at the end. */
export async function runAll(steps: readonly (Step | readonly Step[])[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    const settled = await Promise.allSettled(
      [step].flat().map(async (parallelStep) => parallelStep()),
    );
    for (const outcome of settled) if (outcome.status === "rejected") failures.push(outcome.reason);
  }
  if (failures.length > 0) throw failures[0];
}
