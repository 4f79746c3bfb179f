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
  const take = (value: unknown, source: Path, fallbackName?: string) =>
    isObject(value)
      ? toEntry(value, { document, source, path, fallbackName })
      : { document, source, owner: ownerInPath(path) };
  if (Array.isArray(data)) return data.map((value, at) => take(value, [at]));
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

type Place = {
  document: ConfigDocument;
  source: Path;
  path: string;
  fallbackName: string | undefined;
};

export function toEntry(
  written: UnknownObject,
  { document, source, path, fallbackName }: Place,
): ManifestEntry {
  const { $schema: _, kind, owner: said, persona = said, ...data } = written;
  const owner = isName(persona) ? persona : persona === undefined ? ownerInPath(path) : null;
  return {
    kind: isKind(kind) ? kind : (kindByKeys(data) ?? kindInPath(path) ?? "tool"),
    owner: owner === "shared" ? null : owner,
    name: isName(data.name) ? data.name : fallbackName,
    data,
    document,
    source,
  };
}

function isKind(value: unknown): value is Kind {
  return value === "tool" || value === "skill" || value === "task" || value === "job";
}

const telling: readonly [key: string, kind: Kind][] = [
  ["instruction_prompt", "skill"],
  ["task_graph", "job"],
  ["side_effects", "tool"],
  ["providers", "tool"],
  ["parameters", "tool"],
  ["acceptance_criteria", "task"],
  ["extends", "task"],
];

function kindByKeys(data: UnknownObject): Kind | undefined {
  return telling.find(([key]) => Object.hasOwn(data, key))?.[1];
}

const words: readonly [word: RegExp, kind: Kind][] = [
  [/^(tools?|toolbox|functions?)$/i, "tool"],
  [/^skills?$/i, "skill"],
  [/^tasks?$/i, "task"],
  [/^jobs?$/i, "job"],
];

/** The nearest word counts: `Skills/jobs.json` holds jobs. */
function kindInPath(path: string): Kind | undefined {
  const parts = path.split(/[/\\.]/).reverse();
  for (const part of parts) {
    const found = words.find(([word]) => word.test(part));
    if (found) return found[1];
  }
  return undefined;
}

export function ownerInPath(path: string): string | null {
  return /(?:^|[/\\])personas[/\\]([^/\\]+)[/\\]/i.exec(path)?.[1] ?? null;
}
