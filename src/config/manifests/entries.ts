import { isObject, type Path, type UnknownObject } from "../../model/json.ts";
import { type ConfigDocument, isName } from "../shapes/reading.ts";

export type Kind = "tool" | "skill" | "task" | "job";

export type ManifestEntry = {
  kind: Kind;
  owner: string | null;
  name: string | undefined;
  /** What it says beside its kind and owner. */
  data: UnknownObject;
  document: ConfigDocument;
  source: Path;
};

export type Misplaced = { document: ConfigDocument; source: Path; owner: string | null };

/** A file holds one manifest, a list of them, or an object of them by name. */
export function entriesIn(document: ConfigDocument, path: string): (ManifestEntry | Misplaced)[] {
  const { data } = document;
  const take = (entry: unknown, source: Path, fallbackName?: string) => {
    if (isObject(entry)) return toEntry(entry, { document, source, path, fallbackName });
    return { document, source, owner: ownerInPath(path) };
  };
  if (Array.isArray(data)) return data.map((entry, index) => take(entry, [index]));
  if (isObject(data) && isByName(data)) {
    return Object.entries(data)
      .filter(([name]) => name !== "$schema")
      .map(([name, value]) => take(value, [name], name));
  }
  return [take(data, [])];
}

function isByName(data: UnknownObject): boolean {
  const values = Object.entries(data).filter(([name]) => name !== "$schema");
  return values.length > 0 && values.every(([, value]) => isObject(value));
}

type EntryPlace = {
  document: ConfigDocument;
  source: Path;
  path: string;
  fallbackName: string | undefined;
};

export function toEntry(
  fields: UnknownObject,
  { document, source, path, fallbackName }: EntryPlace,
): ManifestEntry {
  const { $schema: _, kind, owner: writtenOwner, persona = writtenOwner, ...data } = fields;
  const owner = ownerOf(persona, path);
  return {
    kind: isKind(kind) ? kind : (kindByKeys(data) ?? kindInPath(path) ?? "tool"),
    owner: owner === "shared" ? null : owner,
    name: isName(data.name) ? data.name : fallbackName,
    data,
    document,
    source,
  };
}

/** One that is written and is no name leaves the entry to all. */
function ownerOf(persona: unknown, path: string): string | null {
  if (isName(persona)) return persona;
  return persona === undefined ? ownerInPath(path) : null;
}

function isKind(value: unknown): value is Kind {
  return value === "tool" || value === "skill" || value === "task" || value === "job";
}

const kindByKey: readonly [key: string, kind: Kind][] = [
  ["instruction_prompt", "skill"],
  ["task_graph", "job"],
  ["side_effects", "tool"],
  ["providers", "tool"],
  ["parameters", "tool"],
  ["acceptance_criteria", "task"],
  ["extends", "task"],
];

function kindByKeys(data: UnknownObject): Kind | undefined {
  return kindByKey.find(([key]) => Object.hasOwn(data, key))?.[1];
}

const kindByWord: readonly [word: RegExp, kind: Kind][] = [
  [/^(tools?|toolbox|functions?)$/i, "tool"],
  [/^skills?$/i, "skill"],
  [/^tasks?$/i, "task"],
  [/^jobs?$/i, "job"],
];

/** The nearest word counts: `Skills/jobs.json` holds jobs. */
function kindInPath(path: string): Kind | undefined {
  const pathParts = path.split(/[/\\.]/).reverse();
  for (const part of pathParts) {
    const kind = kindByWord.find(([pattern]) => pattern.test(part))?.[1];
    if (kind) return kind;
  }
  return undefined;
}

export function ownerInPath(path: string): string | null {
  return /(?:^|[/\\])personas[/\\]([^/\\]+)[/\\]/i.exec(path)?.[1] ?? null;
}
