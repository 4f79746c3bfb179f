export type SecretKind = "file" | "command" | "keychain";

/** Something a text leaves to be looked up: `${NAME}`, `${NAME:-fallback}` or `${kind:name}`. */
export type Reference = {
  kind: "env" | SecretKind;
  name: string;
  fallback: string | null;
  /** As it is written, and where. */
  text: string;
  start: number;
};
export type SecretReference = Reference & { kind: SecretKind };

// Each run of dollars is tried once, from its beginning, so that a text of dollars takes no longer than another.
const dollars = /(?<!\$)\$+(?=\{)/g;
const dollarsBeforeSecret = /(?<!\$)\$+(?=\{(?:file|command|keychain):(?!-))/g;
const lastDollars = /(?<!\$)\$+$/;
const content = /^(?:([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?|(file|command|keychain):([\s\S]+))$/;

export function findReferences(text: string): Reference[] {
  return splitReferences(text).filter((part) => typeof part !== "string");
}

/** A text as what it says and what it refers to. `$$` before a brace is a dollar: `$${` says `${`. */
export function splitReferences(text: string): (string | Reference)[] {
  return split(text, dollars);
}

/** The same once the environment is in its place: only secrets are left, and only they can be escaped. */
export function splitSecrets(text: string): (string | SecretReference)[] {
  return split(text, dollarsBeforeSecret) as (string | SecretReference)[];
}

/** Writes what a text says so that `splitSecrets` finds no reference in it. */
export function escapeSecrets(text: string, isBeforeReference: boolean): string {
  const twice = (run: string) => run + run;
  const escaped = text.replaceAll(dollarsBeforeSecret, twice);
  return isBeforeReference ? escaped.replace(lastDollars, twice) : escaped;
}

function split(text: string, pattern: RegExp): (string | Reference)[] {
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
    if (reference) from = close + 1;
  }
  parts.push(text.slice(from));
  return parts;
}

function nextBrace(text: string, from: number): number {
  const at = text.indexOf("}", from);
  return at === -1 ? Number.POSITIVE_INFINITY : at;
}

function parseReference(text: string, start: number, close: number): Reference | null {
  if (close === Number.POSITIVE_INFINITY) return null;
  const [, variable, fallback, kind, name] = content.exec(text.slice(start + 2, close)) ?? [];
  const place = { text: text.slice(start, close + 1), start };
  if (variable !== undefined) return { kind: "env", name: variable, fallback: fallback ?? null, ...place };
  if (name === undefined) return null;
  return { kind: kind as SecretKind, name, fallback: null, ...place };
}
