import type { ToolListing } from "../model/plane.ts";
import type { Compatibility, RegistrySummary, ToolEntry } from "../model/registry-summary.ts";

export function summarizeRegistry(
  revision: number,
  persona: string | null,
  listed: readonly ToolListing[],
): RegistrySummary {
  const tools = listed.map((tool) => toEntry(tool, persona));
  const specific = tools.filter(({ compatibility }) => compatibility.persona_specific).length;
  return {
    revision,
    persona,
    compatibility: { persona, shared: tools.length - specific, persona_specific: specific },
    tools,
    // Nothing loads these yet.
    skills: [],
    tasks: [],
    jobs: [],
  };
}

function toEntry(tool: ToolListing, asked: string | null): ToolEntry {
  const { name, persona, metadata, providers, health } = tool;
  const { providers: providerHealth, ...measured } = health;
  return {
    name,
    persona,
    version: metadata.version,
    capabilities: metadata.capabilities,
    capability_tags: metadata.capabilities.map((tag) => tag.toLowerCase()),
    compatibility: compatibilityOf(tool, asked),
    health: { tool: measured, providers: providerHealth, last_invocation: measured.last_sample_at },
    providers,
  };
}

function compatibilityOf({ persona, metadata }: ToolListing, asked: string | null): Compatibility {
  const allowlist = metadata.persona_allowlist ?? null;
  const isAsked = (name: string) => name.toLowerCase() === asked?.toLowerCase();
  return {
    persona,
    persona_specific: persona !== null,
    matches_request: (persona === null || isAsked(persona)) && (allowlist?.some(isAsked) ?? true),
    allowlist,
  };
}
