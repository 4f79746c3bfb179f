import type { JsonObject } from "../../model/json.ts";
import type { ProviderSpec, ToolManifest } from "../../model/tool.ts";
import { hideInjected } from "./hide-injected.ts";
import type { NamelessTool, Translation } from "./mcp.ts";

/** A tool written by hand, and where: in the configuration, in a manifest file or in a program. */
export type HandWritten = { manifest: ToolManifest; source: string };

/** Copied, because what the registry holds is frozen. Of two with one name and one owner the last counts. */
export function translateManifests(written: readonly HandWritten[]): Translation {
  const tools = new Map(
    written.map(({ manifest, source }) => [ownName(manifest), translate(structuredClone(manifest), source)]),
  );
  return { tools: [...tools.values()], rejected: [] };
}

function ownName({ name, persona }: ToolManifest): string {
  return JSON.stringify([persona ?? null, name]);
}

function translate(
  { name, description, parameters, providers, persona, ...metadata }: ToolManifest,
  source: string,
): NamelessTool {
  const reserved = ["_mcp_data"];
  return {
    id: { server: null, tool: name },
    description,
    ...hideInjected(parameters as JsonObject, reserved),
    reserved,
    annotations: {},
    trusted: true,
    metadata,
    consent: "explicit",
    groups: [],
    persona: persona ?? null,
    providers: providers as ProviderSpec[],
    source,
  };
}
