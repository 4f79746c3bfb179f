import type { JsonObject } from "../../model/json.ts";
import type { ToolManifest } from "../../model/tool.ts";
import { hideInjected } from "./hide-injected.ts";
import type { NamelessTool, Translation } from "./mcp.ts";

/** Hand-written tools: they are called by the name a person gave them. */
export function translateManifests(manifests: Readonly<Record<string, ToolManifest>>): Translation {
  return { tools: Object.values(manifests).map(translate), rejected: [] };
}

function translate({ name, description, parameters, providers, ...metadata }: ToolManifest): NamelessTool {
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
    persona: null,
    providers,
    source: "config",
  };
}
