import type { Tool } from "./tool.ts";

export type HealthSample = {
  subject: string;
  at: string;
  ok: boolean;
  latencyMs: number;
};

/** In stored order; `newest` is the next `after`. */
export type NewSamples = { samples: HealthSample[]; newest: number };

export type HealthSummary = {
  total: number;
  success: number;
  failure: number;
  success_rate: number;
  average_latency_ms: number;
  p95_latency_ms: number;
  last_sample_at: string | null;
};

export const healthWindow = 100;

/** Health and routing know a tool by this. Those of a persona, a workspace and a shared one of the same name are kept apart. */
export function healthKey({ id, name, persona, metadata }: Pick<Tool, "id" | "name" | "persona" | "metadata">): string {
  if (id.server === null && metadata.workspaces?.length) return JSON.stringify([name, persona, metadata.workspaces]);
  return persona === null || id.server !== null ? name : JSON.stringify([name, persona]);
}

export function toolSubject(key: string): string {
  return `tool:${key}`;
}

export function providerSubject(key: string, provider: string): string {
  return `provider:${key}:${provider}`;
}

export function personaSubject(key: string, persona: string): string {
  return `persona:${JSON.stringify([persona.toLowerCase(), key])}`;
}

export function jobSubject({ name, persona }: { name: string; persona?: string | undefined }): string {
  return `job:${persona === undefined ? name : JSON.stringify([name, persona])}`;
}

/** The router's view of a provider. */
export type ProviderState = {
  healthy: boolean;
  failures: number;
  backoff_until: string | null;
  last_error: string | null;
};

export type LastCall = { at: string; ok: boolean; latency_ms: number };

/** For a sparkline. */
export type RecentRun = Pick<LastCall, "ok" | "latency_ms">;
export const recentRuns = 30;

/** How a provider did, and whether it is in use now. */
export type ProviderHealth = { metrics: HealthSummary; router: ProviderState; last_call: LastCall | null };

/** In all, by provider, the last call, and for the persona that looks. */
export type ToolHealth = HealthSummary & {
  providers: Record<string, ProviderHealth>;
  /** `selected` is the provider that answered last; a failure does not change it. */
  last_invocation: (LastCall & { selected: string | null }) | null;
  /** At most `recentRuns`, oldest first. */
  recent: readonly RecentRun[];
  persona?: { name: string } & HealthSummary;
};
