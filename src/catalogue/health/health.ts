import {
  type HealthSample,
  type HealthSummary,
  healthWindow,
  type LastCall,
  type RecentRun,
  recentRuns,
} from "../../model/catalogue/health.ts";

export type Health = {
  observe(sample: HealthSample): void;
  summary(subject: string): HealthSummary;
  last(subject: string): LastCall | null;
  /** Oldest first. */
  recent(subject: string): RecentRun[];
};

const unknown = Object.freeze(summarize([]));

/** Rolling windows in memory, filled from what was stored before. */
export function createHealth(earlier: readonly HealthSample[]): Health {
  const windows = new Map<string, HealthSample[]>();
  // Listings ask about everything, and little of it has changed since the last one.
  const summaries = new Map<string, HealthSummary>();
  const observe = (sample: HealthSample) => {
    const window = windows.get(sample.subject) ?? [];
    window.push(sample);
    if (window.length > healthWindow) window.shift();
    windows.set(sample.subject, window);
    summaries.delete(sample.subject);
  };
  for (const sample of earlier) observe(sample);
  const summary = (subject: string) => {
    const window = windows.get(subject);
    if (!window) return unknown;
    // Given out to everybody, so nobody may change it.
    const known = summaries.get(subject) ?? Object.freeze(summarize(window));
    summaries.set(subject, known);
    return known;
  };
  const last = (subject: string) => {
    const sample = windows.get(subject)?.at(-1);
    return sample ? { at: sample.at, ok: sample.ok, latency_ms: sample.latencyMs } : null;
  };
  const recent = (subject: string) =>
    (windows.get(subject) ?? [])
      .slice(-recentRuns)
      .map(({ ok, latencyMs }) => ({ ok, latency_ms: Math.round(latencyMs) }));
  return { observe, summary, last, recent };
}

export function summarize(samples: readonly HealthSample[]): HealthSummary {
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
