import type { Tool } from "./tool.ts";

/** One observed run of a tool or of one of its providers. */
export type HealthSample = {
  subject: string;
  at: string;
  ok: boolean;
  latencyMs: number;
};

/** Samples in the order they were stored; `newest` is what to ask with for those that come after them. */
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

/** How many samples a rolling window holds. */
export const healthWindow = 100;

/**
 * What health and routing know a tool by. A persona may have its own in the place of a shared one, and neither answers
 * for the other; what a server lists is only there once.
 */
export function healthKey({ id, name, persona }: Pick<Tool, "id" | "name" | "persona">): string {
  return persona === null || id.server !== null ? name : JSON.stringify([name, persona]);
}

/** `key` is what `healthKey` says of the tool. */
export function toolSubject(key: string): string {
  return `tool:${key}`;
}

export function providerSubject(key: string, provider: string): string {
  return `provider:${key}:${provider}`;
}

/** The health of a shared tool for one persona. */
export function personaSubject(key: string, persona: string): string {
  return `persona:${JSON.stringify([persona.toLowerCase(), key])}`;
}

export function jobSubject({ name, persona }: { name: string; persona?: string | undefined }): string {
  return `job:${persona === undefined ? name : JSON.stringify([name, persona])}`;
}

/** How a provider stands with the router. */
export type ProviderState = {
  healthy: boolean;
  /** In a row. */
  failures: number;
  backoff_until: string | null;
  last_error: string | null;
};

export type LastCall = { at: string; ok: boolean; latency_ms: number };

/** One of the last runs, for a line that shows how a tool does lately. */
export type RecentRun = Pick<LastCall, "ok" | "latency_ms">;
export const recentRuns = 30;

/** One way of executing a tool: how it did, and whether it is asked right now. */
export type ProviderHealth = { metrics: HealthSummary; router: ProviderState; last_call: LastCall | null };

/** How a tool did: all in all, by each way of executing it, the last time, and for the persona that looks. */
export type ToolHealth = HealthSummary & {
  providers: Record<string, ProviderHealth>;
  /** `selected` is the provider that answered. */
  last_invocation: (LastCall & { selected: string | null }) | null;
  /** At most `recentRuns`, oldest first. */
  recent: readonly RecentRun[];
  persona?: { name: string } & HealthSummary;
};
