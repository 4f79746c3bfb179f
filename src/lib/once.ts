/**
 * Makes a value when it is first asked for; `made` tells without making it. What could not be made is made again, a promise
 * that was rejected too: at once, or `retryAfterMs` later.
 */
export function once<T>(make: () => T, retryAfterMs = 0): (() => T) & { made(): boolean } {
  let value: { made: T; failedAt?: number } | undefined;
  const get = () => {
    if (value?.failedAt !== undefined && performance.now() - value.failedAt >= retryAfterMs) value = undefined;
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
