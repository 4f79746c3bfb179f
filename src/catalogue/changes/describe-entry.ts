import type { Audience, EntryKey, EntryKind } from "../../model/catalogue/change.ts";
import type { ProviderSpec } from "../../model/catalogue/tool.ts";
import type { JsonObject, UnknownObject } from "../../model/json.ts";

/** An entry as the history shows it and compares it. */
export type DescribedEntry = EntryKey & { source: string; definition: JsonObject; audience: Audience };

type Manifest = {
  name: string;
  persona?: string | undefined;
  persona_allowlist?: string[] | undefined;
  personas?: string[] | undefined;
  workspaces?: string[] | undefined;
  providers?: { name: string; config?: Record<string, unknown> }[] | undefined;
};

export function describeEntry(
  kind: EntryKind,
  manifest: Manifest,
  source: string,
  mask: (value: unknown) => unknown,
): DescribedEntry {
  const persona = manifest.persona ?? null;
  const personas = manifest.persona_allowlist ?? manifest.personas ?? null;
  return {
    kind,
    name: manifest.name,
    persona,
    source,
    definition: mask(asWritten(manifest)) as JsonObject,
    audience: { groups: [], persona, personas, ...workspacesOf(manifest), ...serversOf(manifest) },
  };
}

function workspacesOf({ workspaces = [] }: Manifest): Pick<Audience, "workspaces"> {
  return workspaces.length === 0 ? {} : { workspaces };
}

/** A tool that only leads to servers is for those who may use one of them. */
function serversOf({ providers = [] }: Manifest): Pick<Audience, "servers"> {
  if (providers.length === 0 || providers.some(({ name }) => name !== "mcp")) return {};
  return { servers: [...new Set(providers.map(({ config }) => String(config?.server)))] };
}

/** A manifest without what was found out about it, its references to variables in their places. */
export function asWritten(manifest: object): JsonObject {
  const { file: _, source: __, ...said } = manifest as UnknownObject;
  if (!Array.isArray(said.providers)) return clean(said);
  return clean({ ...said, providers: (said.providers as ProviderSpec[]).map(writtenProvider) });
}

function writtenProvider({ base: _, unusable: __, written, ...spec }: ProviderSpec): UnknownObject {
  return written === undefined ? spec : { ...spec, config: written };
}

/** A copy that holds nothing but JSON. */
function clean(value: UnknownObject): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

export function entryKeyOf({ kind, name, persona }: EntryKey): string {
  return JSON.stringify([kind, persona, name]);
}
