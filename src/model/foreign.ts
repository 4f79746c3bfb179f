import type { Gate, StrictGate } from "../lib/net/egress.ts";
import { plainText } from "../lib/text/plain-text.ts";
import { variableName } from "../lib/text/variable-name.ts";
import { isObject, type Json, listOrEmpty, type UnknownObject } from "./json.ts";

let open: <T>(value: Foreign<T>) => T;

/**
 * What a stranger wrote: an entry of a registry, the manifest of a bundle, the document of an API, a file of another
 * client, the target of a redirect. It can be looked into; a text comes out only by a function below, which escapes or
 * judges it. References, command lines, environments and gates take no other text.
 */
export class Foreign<out T = unknown> {
  readonly #written: T;
  /** So that nothing takes it for a text that can be spelled out, as `URL` would. */
  declare readonly toString: undefined;

  constructor(written: T) {
    this.#written = written;
  }

  static {
    open = (value) => value.#written;
  }

  /** The compiler lets a template take anything. */
  [Symbol.toPrimitive](): never {
    throw new TypeError("Foreign text was used before it was judged.");
  }

  toJSON(): never {
    return this[Symbol.toPrimitive]();
  }
}

export function foreign<T>(written: T): Foreign<T> {
  return new Foreign(written);
}

/** For functions that take any value: not this one. */
export type NotForeign<T> = T extends Foreign ? never : unknown;

// Looking into it: what comes back is foreign too, except yes and no.

export function fieldOf(value: Foreign, name: string): Foreign {
  const opened = open(value);
  return foreign(isObject(opened) && Object.hasOwn(opened, name) ? opened[name] : undefined);
}

export function fieldsOf(value: Foreign): [name: Foreign<string>, value: Foreign][] {
  const opened = open(value);
  return isObject(opened)
    ? Object.entries(opened).map(([name, inner]) => [foreign(name), foreign(inner)])
    : [];
}

export function isForeignObject(value: Foreign): value is Foreign<UnknownObject> {
  return isObject(open(value));
}

export function isForeignList(value: Foreign): boolean {
  return Array.isArray(open(value));
}

export function itemsOf(value: Foreign): Foreign[] {
  const opened = open(value);
  return listOrEmpty(opened).map(foreign);
}

export function objectsOf(value: Foreign): Foreign<UnknownObject>[] {
  return itemsOf(value).filter(isForeignObject);
}

/** A text that says something. */
export function foreignTextOf(value: Foreign): Foreign<string> | undefined {
  const opened = open(value);
  return typeof opened === "string" && opened !== "" ? foreign(opened) : undefined;
}

/** Of a text, a number, or a yes or no. */
export function spelled(value: Foreign): Foreign<string> | undefined {
  const opened = open(value);
  return ["string", "number", "boolean"].includes(typeof opened)
    ? foreign(String(opened))
    : undefined;
}

/** An address of HTTP; null where it is none, or holds credentials. */
export function urlOf(
  text: Foreign<string>,
  base?: URL | Foreign<URL> | null,
): Foreign<URL> | null {
  const address = open(text);
  const from = (base instanceof Foreign ? open(base) : base)?.href;
  const url = URL.parse(address, from);
  const isPlain =
    url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  return isPlain ? foreign(url) : null;
}

/** The same address without what stands behind its path. */
export function withoutQuery(address: Foreign<URL>): Foreign<URL> {
  const url = new URL(open(address));
  url.search = "";
  url.hash = "";
  return foreign(url);
}

export function isTrue(value: Foreign): boolean {
  return open(value) === true;
}

/** Parts between placeholders, and the names of the placeholders: the first group of the pattern. */
export function splitAt(
  text: Foreign<string>,
  pattern: RegExp,
): (Foreign<string> | { name: Foreign<string> })[] {
  const opened = open(text);
  const parts: (Foreign<string> | { name: Foreign<string> })[] = [];
  let from = 0;
  for (const { index, 0: placeholder, 1: name = "" } of opened.matchAll(pattern)) {
    parts.push(foreign(opened.slice(from, index)), { name: foreign(name) });
    from = index + placeholder.length;
  }
  return [...parts, foreign(opened.slice(from))];
}

export function joined(...parts: readonly (Foreign<string> | string)[]): Foreign<string> {
  return foreign(parts.map((part) => (typeof part === "string" ? part : open(part))).join(""));
}

export function matches(text: Foreign<string>, pattern: RegExp): boolean {
  return pattern.test(open(text));
}

export function isSame(a: Foreign<string>, b: Foreign<string>): boolean {
  return open(a) === open(b);
}

// Coming out of it.

const secretReference = /\$\{\s*(command|file|keychain)\s*:/i;

/** Which kind of reference to a program or a secret of this machine it holds anywhere; null where none. */
export function findSecretReference(value: Foreign): string | null {
  const unvisited: unknown[] = [open(value)];
  while (unvisited.length > 0) {
    const node = unvisited.pop();
    if (typeof node === "string") {
      const [, kind] = secretReference.exec(node) ?? [];
      if (kind !== undefined) return kind.toLowerCase();
    } else if (typeof node === "object" && node !== null)
      for (const [name, inner] of Object.entries(node)) unvisited.push(name, inner);
  }
  return null;
}

/** A piece of a text of the configuration: what is taken literally, or a reference that is looked up there. */
export type Piece = Foreign<string> | string | { variable: string } | { reference: string };

/** A text of the configuration. Neighbours are joined before they are escaped, so that none completes a reference of another. */
export function writeText(pieces: readonly Piece[]): string {
  let written = "";
  let literal = "";
  for (const piece of pieces) {
    if (typeof piece === "string") literal += piece;
    else if (piece instanceof Foreign) literal += open(piece);
    else {
      const reference =
        "variable" in piece ? `\${${variableName(piece.variable)}}` : piece.reference;
      if (!/^\$\{[^{}]+\}$/.test(reference)) throw new TypeError("This is not one reference.");
      written += escapeReferences(literal, true) + reference;
      literal = "";
    }
  }
  return written + escapeReferences(literal, false);
}

/** Writes what a text says so that no reference is found in it: a dollar before a brace is written twice. */
function escapeReferences(text: string, isBeforeReference: boolean): string {
  const twice = (run: string) => run + run;
  const escaped = text.replaceAll(/(?<!\$)\$+(?=\{)/g, twice);
  return isBeforeReference ? escaped.replace(/(?<!\$)\$+$/, twice) : escaped;
}

/** The same value with every text rewritten; names of fields stay. */
export function rewriteTexts(value: Foreign, rewrite: (text: Foreign<string>) => string): Json {
  const opened = open(value);
  if (typeof opened === "string") return rewrite(foreign(opened));
  if (Array.isArray(opened)) return opened.map((item) => rewriteTexts(foreign(item), rewrite));
  if (!isObject(opened))
    return typeof opened === "number" || typeof opened === "boolean" ? opened : null;
  return Object.fromEntries(
    Object.entries(opened).map(([name, inner]) => [name, rewriteTexts(foreign(inner), rewrite)]),
  );
}

/** Its groups, where it is all that the pattern describes. */
export function asMatch(text: Foreign<string>, pattern: RegExp): readonly string[] | null {
  const groups = pattern.exec(open(text));
  return groups !== null && groups[0].length === open(text).length
    ? [...groups].map((group) => group ?? "")
    : null;
}

/** Literal text of the configuration. */
export function asLiteral(text: Foreign<string>): string {
  return writeText([text]);
}

/** One of the words that we know. */
export function asOneOf<const T extends string>(
  value: Foreign,
  known: readonly T[],
): T | undefined {
  const opened = open(value);
  return known.find((candidate) => candidate === opened);
}

/** What a name of each kind may look like. None begins with a dash, holds a space or can be a reference. */
const names = {
  /** A server of a registry. */
  server: /^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+\/[A-Za-z0-9._-]+$/,
  version: /^[A-Za-z0-9][\w.+~-]{0,254}$/,
  npm: /^(?:@[A-Za-z0-9~][\w.~-]*\/)?[A-Za-z0-9~][\w.~-]*$/,
  pypi: /^[A-Za-z0-9][\w.-]*$/,
  nuget: /^[A-Za-z0-9][\w.-]*$/,
  image: /^[A-Za-z0-9][\w.-]*(?::\d+(?=\/))?(?:\/[\w.-]+)*(?::[\w.-]+)?(?:@sha256:[0-9a-f]{64})?$/,
  variable: /^[A-Za-z_][\w.-]*$/,
  header: /^[A-Za-z0-9][\w.-]*$/,
  sha256: /^[0-9a-f]{64}$/,
} as const;
export type NameKind = keyof typeof names;

export function asName(value: Foreign, kind: NameKind): string | undefined {
  const opened = open(value);
  return typeof opened === "string" && names[kind].test(opened) ? opened : undefined;
}

/** The name of a variable of this machine that stands for it. */
export function asVariable(text: Foreign<string>): string {
  return variableName(open(text).replace(/^-+/, ""));
}

/** Of letters, digits, underscores and dashes. */
export function asWord(text: Foreign<string>): string {
  return open(text).replaceAll(/[^A-Za-z0-9_-]+/g, "-");
}

/** A value in the query of an address. */
export function asQueryValue(text: Foreign<string>): string {
  return encodeURIComponent(open(text).toWellFormed());
}

/** For a person to read; never to be used. Of an address, its host. */
export function asShown(value: Foreign): string {
  const opened = open(value);
  if (opened instanceof URL) return opened.host;
  return typeof opened === "string"
    ? plainText(opened)
    : typeof opened === "object"
      ? ""
      : String(opened ?? "");
}

/** An address with the gate that its connections must pass. */
export type Address = { url: URL; gate: Gate };

/** By the rules for what strangers name. */
export function asAddress(address: Foreign<URL>, gate: StrictGate): Address {
  return { url: open(address), gate };
}

/** Of a document that the person keeps in a file of their own. */
export function asOwnAddress(address: Foreign<URL>, gate: Gate): Address {
  return { url: open(address), gate };
}

/** As JSON, to be kept and read again as foreign. */
export function asStored(values: readonly Foreign[]): string {
  return JSON.stringify(values.map(open));
}
