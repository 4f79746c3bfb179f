import { ownField } from "../../lib/json/plain-data.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { PolicyRule } from "../../model/access/policy.ts";
import type { ConfigProblem } from "../../model/config/config.ts";
import type { SettingOrigin } from "../../model/config/setup.ts";
import { isObject, type Path, renderPath, type UnknownObject } from "../../model/json.ts";

/** A file as data that knows its lines. Objects in `data` have no prototype. */
export type ConfigDocument = { file: string; data: unknown; lineOf(path: Path): number | null };

/** One value in its place in the normal form, with the place it was read from. Every shape becomes a list of these. */
export type Setting = {
  path: Path;
  value: unknown;
  origin: SettingOrigin;
  originInside?(inner: Path): SettingOrigin;
};

export type Shape = {
  keys: readonly string[];
  /** Reads its own keys, of which any may be missing, and leaves the others alone. */
  read(reading: Reading, data: UnknownObject): void;
};

export type Reading = {
  settings: Setting[];
  problems: ConfigProblem[];
  /** Rules that ask a person, wherever servers demand it; they become part of the policy at the end. */
  forced: { rule: PolicyRule; source: Path }[];
  set(path: Path, value: unknown, source: Path): void;
  warn(source: Path, message: string, hint?: string | null): void;
  fail(source: Path, message: string, hint?: string | null): void;
  /** The last part of the source is a key that means nothing here. */
  warnUnknownKey(source: Path, known: Iterable<string>): void;
  /** Something with a name of its own. Only the first of a name counts, so that two never mix. */
  define(path: Path, source: Path, read: () => void): void;
};

/** So many unknown keys of a file get a suggestion: to look for one takes longer than to read the key. */
export const maxSuggested = 100;

/** At most this many suggestions: `timeout` is part of every `…TimeoutMs`. */
const maxCandidates = 10;

/** The unit at the end of a key is more than a mistake in typing: `timout` is `timeoutMs`. */
function nearestKeys(key: string, knownKeys: readonly string[]): string[] {
  const nearKeys = nearest(key, knownKeys, maxCandidates);
  if (nearKeys.length > 0) return nearKeys;
  const withoutUnit = new Map(
    knownKeys.map((knownKey) => [
      knownKey.replace(/(?:Ms|Seconds|_seconds|_sec|_ms)$/, ""),
      knownKey,
    ]),
  );
  return nearest(key, withoutUnit.keys(), maxCandidates).flatMap(
    (withoutUnitKey) => withoutUnit.get(withoutUnitKey) ?? [],
  );
}

export function createReading(originOf: (source: Path) => SettingOrigin): Reading {
  const settings: Setting[] = [];
  const problems: ConfigProblem[] = [];
  const defined = new Set<string>();
  const setPaths = new Set<string>();
  const report = (
    severity: ConfigProblem["severity"],
    source: Path,
    message: string,
    hint: string | null,
  ) => {
    problems.push({ ...originOf(source), severity, message, hint });
  };
  let unknownKeys = 0;
  const reading: Reading = {
    settings,
    problems,
    forced: [],
    set(path, value, source) {
      const key = JSON.stringify(path);
      if (setPaths.has(key))
        return reading.warn(source, `'${path.at(-1)}' is set twice; the first value is used`);
      setPaths.add(key);
      settings.push({
        path,
        value,
        // Few are ever asked for, and looking up lines takes longer than reading.
        get origin() {
          return originOf(source);
        },
        originInside: (inner) => originOf([...source, ...inner]),
      });
    },
    warn: (source, message, hint = null) => report("warning", source, message, hint),
    fail: (source, message, hint = null) => report("error", source, message, hint),
    warnUnknownKey(source, known) {
      const key = String(source.at(-1));
      unknownKeys += 1;
      const candidates = unknownKeys > maxSuggested ? [] : nearestKeys(key, [...known]);
      const near = candidates.find((candidate) => candidate.startsWith(key)) ?? candidates[0];
      const hint =
        near === undefined
          ? "It is ignored: remove it, or correct its name."
          : `Did you mean '${near}'?`;
      reading.warn(source, `'${key}' is not a known key`, hint);
    },
    define(path, source, read) {
      const key = JSON.stringify(path);
      if (defined.has(key))
        return reading.fail(
          source,
          `'${path.at(-1)}' is defined twice in this file; the first one counts`,
        );
      defined.add(key);
      const settingsBefore = settings.length;
      read();
      if (settings.length === settingsBefore) reading.set(path, Object.create(null), source);
    },
  };
  return reading;
}

export function originIn(document: ConfigDocument): (source: Path) => SettingOrigin {
  return (source) => ({
    file: document.file,
    line: document.lineOf(source),
    path: renderPath(source),
  });
}

/** A value as a message may show it: short, and never what is inside a list or an object. */
export function describeValue(value: unknown): string {
  if (typeof value === "string") return `'${value.length > 40 ? `${value.slice(0, 40)}…` : value}'`;
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return String(value);
}

export function isName(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

export type Field = { key: string; value: unknown; source: Path };

export type ServerReading = {
  reading: Reading;
  name: string;
  path: Path;
  fields: readonly Field[];
};

export type ReadField = (field: Field, server: ServerReading) => void;

export function listFields(entry: UnknownObject, source: Path): Field[] {
  return Object.entries(entry).map(([key, value]) => ({ key, value, source: [...source, key] }));
}

/** Where a key stands; around it where it is not written. */
export function pathOfKey(key: string, entry: UnknownObject, source: Path): Path {
  return Object.hasOwn(entry, key) ? [...source, key] : source;
}

export function fieldValue(key: string, fields: readonly Field[]): unknown {
  return fields.find((field) => field.key === key)?.value;
}

/** A key of another system that we have no use for; where it asks for nothing, nothing is said. */
export function warnWithoutEffect({ key, value, source }: Field, reading: Reading): void {
  const asksNothing = value === null || value === false || value === "" || isEmptyList(value);
  if (!asksNothing) reading.warn(source, `'${key}' has no effect here`);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** How far a value is taken apart: an empty tree is a value passed on whole, `*` stands for any name. */
export type Tree = { readonly [key: string]: Tree };

/** Sets every value of the tree in its place; unknown keys are reported. */
export function readTree(
  reading: Reading,
  tree: Tree,
  value: unknown,
  path: Path,
  source: Path,
): void {
  if (!isObject(value) || Object.keys(tree).length === 0) return reading.set(path, value, source);
  const anyName = tree["*"];
  for (const [key, inner] of Object.entries(value)) {
    const innerPath = [...path, key];
    const innerSource = [...source, key];
    const subtree = ownField(tree, key);
    if (anyName)
      reading.define(innerPath, innerSource, () =>
        readTree(reading, anyName, inner, innerPath, innerSource),
      );
    else if (subtree) readTree(reading, subtree, inner, innerPath, innerSource);
    else reading.warnUnknownKey(innerSource, Object.keys(tree));
  }
}
