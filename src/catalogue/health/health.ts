import {
  type HealthSample,
  healthWindow,
  type NewSamples,
  recentRuns,
} from "../../model/catalogue/health.ts";
import type { HealthSummary, LastCall, RecentRun } from "../../model/catalogue/health-schema.ts";

export type Health = ReturnType<typeof createHealth>;

const emptySummary = Object.freeze(summarizeSamples([]));

export function createHealth(earlier: readonly HealthSample[] = []) {
  const windows = new Map<string, HealthSample[]>();
  // Listings ask for every tool, and few windows have changed since the last one.
  const summaries = new Map<string, HealthSummary>();
  const observe = (sample: HealthSample) => {
    const window = windows.get(sample.subject) ?? [];
    window.push(sample);
    if (window.length > healthWindow) window.shift();
    windows.set(sample.subject, window);
    summaries.delete(sample.subject);
  };
  for (const sample of earlier) observe(sample);
  const summary = (subject: string): HealthSummary => {
    const window = windows.get(subject);
    if (!window) return emptySummary;
    const current = summaries.get(subject) ?? Object.freeze(summarizeSamples(window));
    summaries.set(subject, current);
    return current;
  };
  const last = (subject: string): LastCall | null => {
    const sample = windows.get(subject)?.at(-1);
    if (sample) return { at: sample.at, ok: sample.ok, latency_ms: sample.latencyMs };
    return null;
  };
  const lastSuccess = (subject: string): string | null =>
    windows.get(subject)?.findLast(({ ok }) => ok)?.at ?? null;
  /** Oldest first. */
  const recent = (subject: string): RecentRun[] =>
    (windows.get(subject) ?? [])
      .slice(-recentRuns)
      .map(({ ok, latencyMs }) => ({ ok, latency_ms: Math.round(latencyMs) }));
  return { observe, summary, last, lastSuccess, recent };
}

export function summarizeSamples(samples: readonly HealthSample[]): HealthSummary {
  const latencies = samples.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b);
  const success = samples.filter(({ ok }) => ok).length;
  const sum = latencies.reduce((total, latency) => total + latency, 0);
  return {
    total: samples.length,
    success,
    failure: samples.length - success,
    success_rate: samples.length === 0 ? 0 : success / samples.length,
    average_latency_ms: samples.length === 0 ? 0 : sum / samples.length,
    p95_latency_ms: quantile(latencies, 0.95),
    last_sample_at: samples.at(-1)?.at ?? null,
  };
}

/** Linear interpolation between the two nearest ranks. */
function quantile(sorted: readonly number[], share: number): number {
  if (sorted.length === 0) return 0;
  const rank = (sorted.length - 1) * share;
  const below = sorted[Math.floor(rank)] ?? 0;
  const above = sorted[Math.ceil(rank)] ?? below;
  return below + (above - below) * (rank - Math.floor(rank));
}

/** The share of its last runs that failed, plus a fifth for each of the last failures in a row. Lower is better. */
export function failurePenalty({ total, failure }: HealthSummary, failuresInARow: number): number {
  return (total === 0 ? 0 : failure / total) + 0.2 * Math.min(failuresInARow, 5);
}

/** Samples that other processes add to the store are read after this time at the latest. */
const maxAgeMs = 2_000;

export type HealthFeed = ReturnType<typeof createHealthFeed>;

/** Health as the store has it, read on demand rather than with every call. */
export function createHealthFeed(newSamples: (after: number) => Promise<NewSamples>) {
  const health = createHealth();
  let newest = 0;
  let readAt = Number.NEGATIVE_INFINITY;
  let hasNews = true;
  let reading: Promise<Health> | null = null;
  const readNews = async () => {
    // Set before the query: what is added meanwhile is read the next time.
    readAt = Date.now();
    hasNews = false;
    try {
      const news = await newSamples(newest);
      news.samples.forEach(health.observe);
      newest = news.newest;
      return health;
    } catch (thrown) {
      hasNews = true;
      readAt = Number.NEGATIVE_INFINITY;
      throw thrown;
    } finally {
      reading = null;
    }
  };
  const isOld = () => Math.abs(Date.now() - readAt) >= maxAgeMs;
  const readUnless = async (isFresh: boolean): Promise<Health> => {
    if (reading === null && isFresh) return health;
    reading ??= readNews();
    return reading;
  };
  return {
    /** As far as it was read, possibly not at all. */
    known: health,
    read: () => readUnless(!hasNews && !isOld()),
    /** Reads only if the last read is older than `maxAgeMs`. */
    recent: () => readUnless(!isOld()),
    changed(): void {
      hasNews = true;
    },
  };
}
