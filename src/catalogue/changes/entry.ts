import { maskSecrets } from "../../config/config.ts";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import type { Audience, EntryKey, EntryKind, NewChange } from "../../model/catalogue/change.ts";
import type { ChangedBy } from "../../model/catalogue/change-schema.ts";
import type { NamedOverlay, ProviderSpec, ToolManifest } from "../../model/catalogue/tool.ts";
import type { Config } from "../../model/config/config.ts";
import type { JsonObject, UnknownObject } from "../../model/json.ts";
import type { Principal } from "../../model/principal.ts";
import type { JobManifest, TaskManifest } from "../../model/work/job.ts";
import type { SkillManifest } from "../../model/work/skill.ts";

export type WrittenEntry = {
  kind: EntryKind;
  manifest: ToolManifest | SkillManifest | TaskManifest | JobManifest | NamedOverlay;
  source: string;
};

/** An entry as the history shows it and compares it. */
export type DescribedEntry = EntryKey & {
  source: string;
  definition: JsonObject;
  audience: Audience;
};

export function entriesInFiles({
  fromManifests,
  tools,
  overlays,
}: Pick<Config, "fromManifests" | "tools" | "overlays">): WrittenEntry[] {
  const lists = [
    ["tool", fromManifests.tools],
    ["skill", fromManifests.skills],
    ["task", fromManifests.tasks],
    ["job", fromManifests.jobs],
  ] as const;
  const configured = (kind: EntryKind, manifest: WrittenEntry["manifest"]) => ({
    kind,
    manifest,
    source: "config",
  });
  return [
    ...lists.flatMap(([kind, list]) =>
      list.map(({ file: _, source, ...manifest }) => ({
        kind,
        manifest: manifest as ToolManifest,
        source,
      })),
    ),
    ...Object.values(tools).map((manifest) => configured("tool", manifest)),
    ...Object.entries(overlays).map(([name, overlay]) =>
      configured("overlay", { ...overlay, name }),
    ),
  ];
}

export function entryKey({
  kind,
  manifest: { name, persona },
}: Pick<WrittenEntry, "kind" | "manifest">): EntryKey {
  return { kind, name, persona: persona ?? null };
}

export function keyText({ kind, name, persona }: EntryKey): string {
  return JSON.stringify([kind, persona, name]);
}

type Manifest = {
  persona_allowlist?: string[] | undefined;
  personas?: string[] | undefined;
  workspaces?: string[] | undefined;
  providers?: { name: string; config?: Record<string, unknown> }[] | undefined;
};

/** Secrets are masked. */
export function describeEntry(entry: WrittenEntry): DescribedEntry {
  const key = entryKey(entry);
  const {
    persona_allowlist,
    personas,
    workspaces = [],
    providers = [],
  } = entry.manifest as Manifest;
  // A tool that only calls servers is for those who may use one of them.
  const isProxy = providers.length > 0 && providers.every(({ name }) => name === "mcp");
  const servers = [...new Set(providers.map(({ config }) => String(config?.server)))];
  return {
    ...key,
    source: entry.source,
    definition: maskSecrets(asWritten(entry.manifest)) as JsonObject,
    audience: {
      groups: [],
      persona: key.persona,
      personas: persona_allowlist ?? personas ?? null,
      ...withoutUndefined({
        workspaces: workspaces.length === 0 ? undefined : workspaces,
        servers: isProxy ? servers : undefined,
      }),
    },
  };
}

/** A manifest as its author wrote it, with references to variables; a copy that holds nothing but JSON. */
export function asWritten(manifest: object): JsonObject {
  const { file: _, source: __, ...written } = manifest as UnknownObject;
  if (Array.isArray(written.providers))
    written.providers = (written.providers as ProviderSpec[]).map(writtenProvider);
  return JSON.parse(JSON.stringify(written)) as JsonObject;
}

function writtenProvider({
  base: _,
  unusable: __,
  isJudged: ___,
  written,
  ...spec
}: ProviderSpec): UnknownObject {
  if (written === undefined) return spec;
  return { ...spec, config: written };
}

export const everyone: Audience = { groups: [], persona: null, personas: null };

/** Those who could see an entry before and after a change. */
export function narrower(a: Audience | undefined, b: Audience | undefined): Audience {
  if (a === undefined || b === undefined) return a ?? b ?? everyone;
  return {
    ...b,
    personas: common(a.personas, b.personas) ?? null,
    ...withoutUndefined({
      workspaces: common(a.workspaces, b.workspaces),
      servers: common(a.servers, b.servers),
    }),
  };
}

/** A missing list is no limit. */
function common<T extends string[] | null | undefined>(a: T, b: T): string[] | undefined {
  if (!a || !b) return a ?? b ?? undefined;
  return a.filter((member) => b.includes(member));
}

export function maySee(
  { groups, persona, workspace }: Principal,
  audience: Audience,
  maySeeServer: (server: string) => boolean = () => true,
): boolean {
  const { personas, workspaces, servers } = audience;
  if (workspaces && !(workspace !== null && workspaces.includes(workspace))) return false;
  if (servers && !servers.some(maySeeServer)) return false;
  if (audience.groups.length > 0 && !audience.groups.some((group) => groups.includes(group)))
    return false;
  if (audience.persona !== null && audience.persona !== persona) return false;
  return personas === null || personas.includes(persona ?? "");
}

export type Difference<T> = { before: T | null; after: T | null };

export type Circumstances = { by: ChangedBy; reason: string | null; revision: number };

export function toChange(
  { before, after }: Difference<DescribedEntry>,
  circumstances: Circumstances,
): NewChange {
  const { kind, name, persona, source } = (after ?? before) as DescribedEntry;
  return {
    at: new Date().toISOString(),
    kind: changeKind(before, after),
    what: kind,
    name,
    persona,
    source,
    ...circumstances,
    before: before?.definition ?? null,
    after: after?.definition ?? null,
    count: 1,
    audience: narrower(before?.audience, after?.audience),
  };
}

function changeKind(
  before: DescribedEntry | null,
  after: DescribedEntry | null,
): NewChange["kind"] {
  if (before === null) return "added";
  return after === null ? "removed" : "changed";
}
