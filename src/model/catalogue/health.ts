import type { Tool } from "./tool.ts";

export type HealthSample = {
  subject: string;
  at: string;
  ok: boolean;
  latencyMs: number;
};

/** In stored order; `newest` is the next `after`. */
export type NewSamples = { samples: HealthSample[]; newest: number };

export const healthWindow = 100;

/** Health and routing know a tool by this. Those of a persona, a workspace and a shared one of the same name are kept apart. */
export function healthKey({
  id,
  name,
  persona,
  metadata,
}: Pick<Tool, "id" | "name" | "persona" | "metadata">): string {
  if (id.server === null && metadata.workspaces?.length)
    return JSON.stringify([name, persona, metadata.workspaces]);
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

export function jobSubject({
  name,
  persona,
}: {
  name: string;
  persona?: string | undefined;
}): string {
  return `job:${persona === undefined ? name : JSON.stringify([name, persona])}`;
}

export const recentRuns = 30;
