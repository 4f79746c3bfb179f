/** One observed run of a tool or of one of its providers. */
export type HealthSample = {
  subject: string;
  at: string;
  ok: boolean;
  latencyMs: number;
};

export type HealthSummary = {
  total: number;
  success: number;
  failure: number;
  success_rate: number;
  average_latency_ms: number;
  p95_latency_ms: number;
  last_sample_at: string | null;
};

/** How many samples a rolling window holds. */
export const healthWindow = 100;

export function toolSubject(tool: string): string {
  return `tool:${tool}`;
}

export function providerSubject(tool: string, provider: string): string {
  return `provider:${tool}:${provider}`;
}

/** How a provider stands with the router. */
export type ProviderState = {
  healthy: boolean;
  /** In a row. */
  failures: number;
  backoff_until: string | null;
  last_error: string | null;
};

/** One way of executing a tool: how it did, and whether it is asked right now. */
export type ProviderHealth = { metrics: HealthSummary; router: ProviderState };
