import type { JsonObject } from "../../model/json.ts";
import type { SharedCounts } from "./shared-budgets.ts";

/** The share of calls that may be retried, and the number that always may. */
const maxRetryShare = 0.2;
const minRetriesPerWindow = 20;

/** The last minute. */
const bucketMs = 10_000;
const bucketsPerWindow = 6;

type Bucket = { calls: number; retries: number };
/** By the number of the bucket since the epoch. */
type Window = Record<string, Bucket>;

export type RetryBudget = ReturnType<typeof createRetryBudget>;

/**
 * Retries stay a small share of calls: more do not help an overloaded target. Planes report their calls with their next
 * retry, so the sum is never above what was made.
 */
export function createRetryBudget(shared?: SharedCounts) {
  const windows = new Map<string, Window>();

  function windowOf(target: string): Window {
    const window = windows.get(target) ?? {};
    windows.set(target, window);
    return window;
  }

  return {
    called(target: string): void {
      currentBucket(windowOf(target), Date.now()).calls += 1;
    },
    take(target: string): boolean | Promise<boolean> {
      const window = windowOf(target);
      const bucket = currentBucket(window, Date.now());
      if (shared === undefined) return takeRetry(window, bucket);
      const calls = sum(window, "calls");
      resetCalls(window);
      return shared
        .change(`retries:${target}`, bucketsPerWindow * bucketMs, (stored, now) => {
          const sharedWindow = (stored ?? {}) as Window;
          const sharedBucket = currentBucket(sharedWindow, now);
          sharedBucket.calls += calls;
          const answer = takeRetry(sharedWindow, sharedBucket);
          return { answer, value: sharedWindow as JsonObject };
        })
        .catch(() => takeRetry(window, bucket));
    },
  };
}

function currentBucket(window: Window, now: number): Bucket {
  const index = Math.floor(now / bucketMs);
  const current = window[index];
  if (current) return current;
  dropBucketsOutside(window, index);
  const empty: Bucket = { calls: 0, retries: 0 };
  window[index] = empty;
  return empty;
}

function dropBucketsOutside(window: Window, index: number): void {
  for (const key of Object.keys(window))
    if (!(Math.abs(index - Number(key)) < bucketsPerWindow)) delete window[key];
}

function resetCalls(window: Window): void {
  for (const bucket of Object.values(window)) bucket.calls = 0;
}

function takeRetry(window: Window, bucket: Bucket): boolean {
  const maxRetries = Math.max(minRetriesPerWindow, maxRetryShare * sum(window, "calls"));
  if (sum(window, "retries") + 1 > maxRetries) return false;
  bucket.retries += 1;
  return true;
}

function sum(window: Window, field: keyof Bucket): number {
  return Object.values(window).reduce((total, bucket) => total + bucket[field], 0);
}
