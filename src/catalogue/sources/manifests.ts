import { hiddenBy } from "../../model/access/injection.ts";
import type { ProviderSpec, ToolManifest } from "../../model/catalogue/tool.ts";
import type { JsonObject } from "../../model/json.ts";
import { applyRules } from "./apply-rules.ts";
import { type InjectionSettings, rulesFor } from "./injection-rules.ts";
import type { NamelessTool, Translation } from "./mcp.ts";

/** A tool written by hand, and where: in the configuration, in a manifest file or in a program. */
export type HandWritten = { manifest: ToolManifest; source: string };

/** Copied, because what the registry holds is frozen. Of two with one name and one owner the last counts. */
export function translateManifests(
  written: readonly HandWritten[],
  injection: InjectionSettings = { everywhere: [], ofServer: () => [] },
): Translation {
  const tools = new Map(
    written.map(({ manifest, source }) => [ownName(manifest), translate(structuredClone(manifest), source, injection)]),
  );
  return { tools: [...tools.values()], rejected: [] };
}

function ownName({ name, persona }: ToolManifest): string {
  return JSON.stringify([persona ?? null, name]);
}

function translate(
  { name, description, parameters, arguments: local, providers, persona, ...metadata }: ToolManifest,
  source: string,
  injection: InjectionSettings,
): NamelessTool {
  const id = { server: null, tool: name };
  const rules = rulesFor({ id, providers: providers as ProviderSpec[] }, injection);
  return {
    id,
    description,
    ...applyRules(parameters as JsonObject, rules),
    reserved: rules.map(hiddenBy),
    ...(local === undefined ? {} : { local }),
    annotations: {},
    trusted: true,
    metadata: { ...metadata, allow_parallel: metadata.allow_parallel ?? false },
    consent: "explicit",
    parallel: metadata.allow_parallel === undefined ? "default" : "explicit",
    groups: [],
    persona: persona ?? null,
    providers: providers as ProviderSpec[],
    source,
  };
}
