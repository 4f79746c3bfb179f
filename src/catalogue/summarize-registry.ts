import type { ToolListing } from "../model/plane.ts";
import type { RegistrySummary, ToolEntry } from "../model/registry-summary.ts";
import { compatibilityOf } from "./work-entries.ts";

export function summarizeRegistry(
  revision: number,
  persona: string | null,
  listed: readonly ToolListing[],
  work: Pick<RegistrySummary, "skills" | "tasks" | "jobs">,
): RegistrySummary {
  const tools = listed.map((tool) => toEntry(tool, persona));
  const specific = tools.filter(({ compatibility }) => compatibility.persona_specific).length;
  return {
    revision,
    persona,
    compatibility: { persona, shared: tools.length - specific, persona_specific: specific },
    tools,
    ...work,
  };
}

function toEntry(
  { name, persona, metadata, providers, health }: ToolListing,
  asked: string | null,
): ToolEntry {
  const { providers: ofProviders, last_invocation, persona: ofPersona, recent: _, ...measured } = health;
  return {
    name,
    persona,
    version: metadata.version,
    capabilities: metadata.capabilities,
    capability_tags: metadata.capabilities.map((tag) => tag.toLowerCase()),
    compatibility: compatibilityOf(persona, metadata.persona_allowlist ?? null, asked),
    health: {
      tool: measured,
      providers: ofProviders,
      last_invocation,
      ...(ofPersona === undefined ? {} : { persona: ofPersona }),
    },
    providers,
  };
}
