import { ownField } from "../../lib/json/plain-data.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { NotForeign } from "../../model/foreign.ts";
import { isObject, type Path } from "../../model/json.ts";
import type { Environment } from "../environment.ts";
import { addedSecrets } from "../extensions/added-kinds.ts";

/** `file`, `command`, `keychain`, or what an extension reads. */
export type SecretKind = string;

const builtInKinds = ["file", "command", "keychain"] as const;
export type BuiltInSecret = (typeof builtInKinds)[number];
/** Other products have them in their files; the doctor names those that are left. */
const foreignKinds: readonly string[] = ["env", "input", "config"];
/** Those that no extension can add. */
export const takenSecrets: ReadonlySet<string> = new Set([...builtInKinds, ...foreignKinds]);
/** What looks like the reference to a secret. One letter before a colon, or a number behind it, is a shell's `${s:0:3}`. */
const secretForm = /^([a-z][a-z0-9-]+):(?![-+=?\s])(?!-?\d+(?::-?\d+)?$)[\s\S]+$/;

/** Something a text leaves to be looked up: `${NAME}`, `${NAME:-fallback}` or `${kind:name}`. */
export type Reference = {
  /** `env` for a variable. */
  kind: SecretKind;
  name: string;
  fallback: string | null;
  text: string;
  start: number;
};
export type SecretReference = Reference;

// Each run of dollars is tried once, from its beginning, so that a text of dollars takes no longer than another.
const dollars = /(?<!\$)\$+(?=\{)/g;
const lastDollars = /(?<!\$)\$+$/;

let patterns = patternsFor(builtInKinds);
let knownAdded = 0;

/** Of the kinds that are known now; extensions add theirs before a configuration is read. */
function currentPatterns(): ReturnType<typeof patternsFor> {
  if (addedSecrets.size === knownAdded) return patterns;
  knownAdded = addedSecrets.size;
  patterns = patternsFor([...builtInKinds, ...addedSecrets]);
  return patterns;
}

function patternsFor(kinds: readonly string[]) {
  const alternatives = kinds.join("|");
  return {
    dollarsBeforeSecret: new RegExp(`(?<!\\$)\\$+(?=\\{(?:${alternatives}):(?!-))`, "g"),
    content: new RegExp(
      `^(?:([A-Za-z_][A-Za-z0-9_]*)(?::-([\\s\\S]*))?|(${alternatives}):([\\s\\S]+))$`,
    ),
  };
}

export function findReferences(text: string): Reference[] {
  return splitReferences(text).filter((part) => typeof part !== "string");
}

/** A text as what it says and what it refers to. `$$` before a brace is a dollar: `$${` says `${`. */
export function splitReferences(text: string): (string | Reference)[] {
  return split(text, dollars);
}

/** The same once the environment is in its place: only secrets are left, and only they can be escaped. */
export function splitSecrets(text: string): (string | SecretReference)[] {
  return split(text, currentPatterns().dollarsBeforeSecret) as (string | SecretReference)[];
}

/** Writes what a text says so that `splitSecrets` finds no reference in it. */
export function escapeSecrets(text: string, isBeforeReference: boolean): string {
  const doubled = (run: string) => run + run;
  const escaped = text.replaceAll(currentPatterns().dollarsBeforeSecret, doubled);
  if (isBeforeReference) return escaped.replace(lastDollars, doubled);
  return escaped;
}

function split(
  text: string,
  pattern: RegExp,
  onUnread?: (content: string) => void,
): (string | Reference)[] {
  const parts: (string | Reference)[] = [];
  let from = 0;
  let close = 0;
  for (const { index, 0: run } of text.matchAll(pattern)) {
    if (index < from) continue;
    parts.push(text.slice(from, index) + "$".repeat(run.length >> 1));
    from = index + run.length;
    if (run.length % 2 === 0) continue;
    if (close < from) close = nextBrace(text, from);
    const reference = parseReference(text, from - 1, close);
    parts.push(reference ?? "$");
    if (reference === null && close !== Number.POSITIVE_INFINITY)
      onUnread?.(text.slice(from + 1, close));
    if (reference) from = close + 1;
  }
  parts.push(text.slice(from));
  return parts;
}

function nextBrace(text: string, from: number): number {
  const index = text.indexOf("}", from);
  return index === -1 ? Number.POSITIVE_INFINITY : index;
}

function parseReference(text: string, start: number, close: number): Reference | null {
  if (close === Number.POSITIVE_INFINITY) return null;
  const [, variable, fallback, kind, name] =
    currentPatterns().content.exec(text.slice(start + 2, close)) ?? [];
  const location = { text: text.slice(start, close + 1), start };
  if (variable !== undefined)
    return { kind: "env", name: variable, fallback: fallback ?? null, ...location };
  if (name === undefined) return null;
  return { kind: kind ?? "", name, fallback: null, ...location };
}

/** The same value with every text in it changed. Keys stay, and what had no prototype gets none. */
export function mapTexts<T>(
  value: T & NotForeign<T>,
  change: (text: string, path: Path) => string,
): unknown {
  return mapStrings(value, change, []);
}

function mapStrings(
  value: unknown,
  change: (text: string, path: Path) => string,
  path: Path,
): unknown {
  if (typeof value === "string") return change(value, path);
  if (Array.isArray(value))
    return value.map((item, index) => mapStrings(item, change, [...path, index]));
  if (!isObject(value)) return value;
  const changed = Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, mapStrings(child, change, [...path, key])]),
  );
  if (Object.getPrototypeOf(value) === null) return Object.setPrototypeOf(changed, null);
  return changed;
}

/**
 * Puts the values of variables into texts; a reference in such a value is not expanded. References to secrets stay, and
 * text that only looks like one is escaped. `onUnknown` hears of a secret of a kind that nothing reads; its text stays.
 */
export function expandEnvironment<T>(
  value: T & NotForeign<T>,
  environment: Environment,
  onUnset: (name: string, path: Path) => void,
  onUnknown: (unknown: UnknownKind, path: Path) => void = () => undefined,
): unknown {
  const expandAt = (text: string, path: Path) =>
    expandText(
      text,
      environment,
      (name) => onUnset(name, path),
      (unknown) => onUnknown(unknown, path),
    );
  return mapStrings(value, expandAt, []);
}

/** What is wrong with a reference, and what to write instead. */
export type UnknownKind = { kind: string; message: string; hint: string };

function unknownKind(content: string): UnknownKind | null {
  const kind = secretForm.exec(content)?.[1];
  if (kind === undefined || foreignKinds.includes(kind)) return null;
  const knownKinds = [...builtInKinds, ...addedSecrets];
  const [near] = nearest(kind, knownKinds, 1);
  const suggestion = near === undefined ? "" : `Did you mean \${${near}:…}? `;
  const examples = knownKinds.map((knownKind) => `\${${knownKind}:…}`).join(", ");
  return {
    kind,
    message: `nothing reads secrets of the kind '${kind}'`,
    hint: `${suggestion}Known are ${examples}; an extension names others in its 'secrets'. Write $$ for a dollar before a brace.`,
  };
}

function expandText(
  text: string,
  environment: Environment,
  onUnset: (name: string) => void,
  onUnknown: (unknown: UnknownKind) => void,
): string {
  let expanded = "";
  let plain = "";
  const reportUnknown = (content: string) => {
    const unknown = unknownKind(content);
    if (unknown !== null) onUnknown(unknown);
  };
  for (const part of split(text, dollars, reportUnknown)) {
    if (typeof part === "string") plain += part;
    else if (part.kind === "env") plain += lookUp(part, environment, onUnset);
    else {
      expanded += escapeSecrets(plain, true) + part.text;
      plain = "";
    }
  }
  return expanded + escapeSecrets(plain, false);
}

function lookUp(
  { name, fallback, text }: Reference,
  environment: Environment,
  onUnset: (name: string) => void,
): string {
  const value = ownField(environment, name);
  if (value !== undefined && (value !== "" || fallback === null)) return value;
  if (fallback !== null) return fallback;
  onUnset(name);
  return text;
}

/** No secrets; hiding them would make paths unreadable. */
const ordinaryVariables = [
  "HOME",
  "USER",
  "LOGNAME",
  "PWD",
  "PATH",
  "SHELL",
  "LANG",
  "TMPDIR",
  "TEMP",
  "TMP",
];

export function usedVariables(values: unknown, environment: Environment): Map<string, string> {
  const used = new Map<string, string>();
  mapTexts(values, (text) => {
    for (const { kind, name } of findReferences(text)) {
      const value =
        kind === "env" && !ordinaryVariables.includes(name) ? environment[name] : undefined;
      if (value) used.set(name, value);
    }
    return text;
  });
  return used;
}

/** Writes the references again where their values stand, as `written` has them where it has a text in the same place. */
export function showReferences(
  values: unknown,
  used: ReadonlyMap<string, string>,
  written: unknown,
): unknown {
  const byLength = [...used]
    .filter(([, value]) => value.length > 3)
    .sort(([, a], [, b]) => b.length - a.length);
  return mapTexts(values, (text, path) => {
    const source = textAt(written, path);
    if (source !== undefined && findReferences(source).length > 0) return source;
    return byLength.reduce((shown, [name, value]) => shown.replaceAll(value, `\${${name}}`), text);
  });
}

function textAt(value: unknown, path: Path): string | undefined {
  const memberOf = (inner: unknown, part: string | number): unknown => {
    if (typeof inner === "object" && inner !== null && Object.hasOwn(inner, part))
      return (inner as Record<string | number, unknown>)[part];
    return undefined;
  };
  const leaf = path.reduce(memberOf, value);
  return typeof leaf === "string" ? leaf : undefined;
}

/** What stands for the directory that a person works in. */
export const workspaceVariable = "workspaceFolder";

export function mentionsWorkspace(value: unknown): boolean {
  let isMentioned = false;
  mapTexts(value, (text) => {
    isMentioned ||=
      text.includes(workspaceVariable) &&
      findReferences(text).some(({ name }) => name === workspaceVariable);
    return text;
  });
  return isMentioned;
}
