import {
  healthKey,
  type ProviderHealth,
  type ProviderState,
  personaSubject,
  providerSubject,
  type ToolHealth,
  toolSubject,
} from "../../model/health.ts";
import { type ProviderSpec, providerLabel, type Tool } from "../../model/tool.ts";
import type { Health } from "./health.ts";

type Known = {
  health: Pick<Health, "summary" | "last" | "recent">;
  routerState(key: string, provider: string): ProviderState;
};

const never = Object.freeze([]);

/** How a tool did, told to `viewer`: beside what is so for all a single persona is told its own part. */
export function describeHealth(
  tool: Tool,
  { health, routerState }: Known,
  {
    viewer,
    withProviders,
    shown = tool.providers,
  }: { viewer: string | null; withProviders: boolean; shown?: readonly ProviderSpec[] },
): ToolHealth {
  const key = healthKey(tool);
  const all = toolSubject(key);
  const labels = tool.providers
    .filter((spec) => shown.includes(spec))
    .map((spec) => providerLabel(spec, tool.providers));
  const ofProvider = (label: string): ProviderHealth => ({
    metrics: health.summary(providerSubject(key, label)),
    router: routerState(key, label),
    last_call: health.last(providerSubject(key, label)),
  });
  const last = health.last(all);
  const answered = (label: string) => {
    const run = health.last(providerSubject(key, label));
    return run?.ok === true && run.at === last?.at;
  };
  // What belongs to a persona is used by nobody else.
  const own = tool.persona === null && viewer !== null ? personaSubject(key, viewer) : all;
  return {
    ...health.summary(all),
    providers: withProviders ? Object.fromEntries(labels.map((label) => [label, ofProvider(label)])) : {},
    last_invocation: last && { ...last, selected: labels.find(answered) ?? null },
    recent: last === null ? never : health.recent(all),
    ...(viewer === null ? {} : { persona: { name: viewer, ...health.summary(own) } }),
  };
}
