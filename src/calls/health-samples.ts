import { rounded } from "../lib/rounded.ts";
import type { CallRecord } from "../model/call.ts";
import {
  type HealthSample,
  healthKey,
  personaSubject,
  providerSubject,
  toolSubject,
} from "../model/health.ts";
import { toolDidWell } from "./changed-result.ts";
import type { Learned } from "./outcome.ts";

/**
 * The tool's health counts every executed call; a provider's health only what the provider did. What is everybody's has
 * a health for each persona beside its own.
 */
export function samplesOf(call: Learned, { at, status, durationMs, attempts }: CallRecord): HealthSample[] {
  const { tool, principal } = call;
  if (!tool || attempts.length === 0 || status === "cancelled") return [];
  const key = healthKey(tool);
  const ok = toolDidWell(call, status);
  const viewer = tool.persona === null ? principal.persona : null;
  const subjects = [toolSubject(key), ...(viewer === null ? [] : [personaSubject(key, viewer)])];
  return [
    ...subjects.map((subject) => ({ subject, at, ok, latencyMs: durationMs })),
    ...attempts.map(({ provider, ok: answered, durationMs: latencyMs }) => ({
      subject: providerSubject(key, provider),
      at,
      ok: answered,
      latencyMs: rounded(latencyMs),
    })),
  ];
}
