import type { Gate, StrictGate } from "../lib/net/egress.ts";
import { plainText } from "../lib/text/plain-text.ts";
import { variableName } from "../lib/text/variable-name.ts";
import { isObject, type Json, listOrEmpty, type UnknownObject } from "./json.ts";

let unwrap: <T>(value: Foreign<T>) => T;

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
    unwrap = (value) => value.#written;
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
  const written = unwrap(value);
  return foreign(isObject(written) && Object.hasOwn(written, name) ? written[name] : undefined);
}

export function fieldsOf(value: Foreign): [name: Foreign<string>, value: Foreign][] {
  const written = unwrap(value);
  return isObject(written)
    ? Object.entries(written).map(([name, inner]) => [foreign(name), foreign(inner)])
    : [];
}

export function isForeignObject(value: Foreign): value is Foreign<UnknownObject> {
  return isObject(unwrap(value));
}

export function isForeignList(value: Foreign): boolean {
  return Array.isArray(unwrap(value));
}

export function itemsOf(value: Foreign): Foreign[] {
  return listOrEmpty(unwrap(value)).map(foreign);
}

export function objectsOf(value: Foreign): Foreign<UnknownObject>[] {
  return itemsOf(value).filter(isForeignObject);
}

/** Undefined for what is no text, and for an empty one. */
export function foreignTextOf(value: Foreign): Foreign<string> | undefined {
  const written = unwrap(value);
  return typeof written === "string" && written !== "" ? foreign(written) : undefined;
}

/** The text of a string, a number or a boolean. */
export function spelled(value: Foreign): Foreign<string> | undefined {
  const written = unwrap(value);
  return ["string", "number", "boolean"].includes(typeof written)
    ? foreign(String(written))
    : undefined;
}

/** An address of HTTP; null where it is none, or holds credentials. */
export function urlOf(
  text: Foreign<string>,
  base?: URL | Foreign<URL> | null,
): Foreign<URL> | null {
  const address = unwrap(text);
  const from = (base instanceof Foreign ? unwrap(base) : base)?.href;
  const url = URL.parse(address, from);
  const isPlain =
    url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  return isPlain ? foreign(url) : null;
}

/** The same address without its query and its fragment. */
export function withoutQuery(address: Foreign<URL>): Foreign<URL> {
  const url = new URL(unwrap(address));
  url.search = "";
  url.hash = "";
  return foreign(url);
}

export function isTrue(value: Foreign): boolean {
  return unwrap(value) === true;
}

/** Parts between placeholders, and the names of the placeholders: the first group of the pattern. */
export function splitAt(
  text: Foreign<string>,
  pattern: RegExp,
): (Foreign<string> | { name: Foreign<string> })[] {
  const written = unwrap(text);
  const parts: (Foreign<string> | { name: Foreign<string> })[] = [];
  let from = 0;
  for (const { index, 0: placeholder, 1: name = "" } of written.matchAll(pattern)) {
    parts.push(foreign(written.slice(from, index)), { name: foreign(name) });
    from = index + placeholder.length;
  }
  return [...parts, foreign(written.slice(from))];
}

export function joined(...parts: readonly (Foreign<string> | string)[]): Foreign<string> {
  return foreign(parts.map((part) => (typeof part === "string" ? part : unwrap(part))).join(""));
}

export function matches(text: Foreign<string>, pattern: RegExp): boolean {
  return pattern.test(unwrap(text));
}

export function isSame(a: Foreign<string>, b: Foreign<string>): boolean {
  return unwrap(a) === unwrap(b);
}

// Coming out of it.

const secretReference = /\$\{\s*(command|file|keychain)\s*:/i;

/** Which kind of reference to a program or a secret of this machine it holds anywhere; null where none. */
export function findSecretReference(value: Foreign): string | null {
  const unvisited: unknown[] = [unwrap(value)];
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
    else if (piece instanceof Foreign) literal += unwrap(piece);
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
  const written = unwrap(value);
  if (typeof written === "string") return rewrite(foreign(written));
  if (Array.isArray(written)) return written.map((item) => rewriteTexts(foreign(item), rewrite));
  if (!isObject(written))
    return typeof written === "number" || typeof written === "boolean" ? written : null;
  return Object.fromEntries(
    Object.entries(written).map(([name, inner]) => [name, rewriteTexts(foreign(inner), rewrite)]),
  );
}

/** Its groups, where it is all that the pattern describes. */
export function asMatch(text: Foreign<string>, pattern: RegExp): readonly string[] | null {
  const groups = pattern.exec(unwrap(text));
  return groups !== null && groups[0].length === unwrap(text).length
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
  const written = unwrap(value);
  return known.find((candidate) => candidate === written);
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
  const written = unwrap(value);
  return typeof written === "string" && names[kind].test(written) ? written : undefined;
}

/** The name of a variable of this machine that stands for it. */
export function asVariable(text: Foreign<string>): string {
  return variableName(unwrap(text).replace(/^-+/, ""));
}

/** Of letters, digits, underscores and dashes. */
export function asWord(text: Foreign<string>): string {
  return unwrap(text).replaceAll(/[^A-Za-z0-9_-]+/g, "-");
}

/** A value in the query of an address. */
export function asQueryValue(text: Foreign<string>): string {
  return encodeURIComponent(unwrap(text).toWellFormed());
}

/** Text for a person to read, never for a command, a file or a request. Of an address, its host; of an object, nothing. */
export function asShown(value: Foreign): string {
  const written = unwrap(value);
  if (written instanceof URL) return written.host;
  if (typeof written === "string") return plainText(written);
  if (typeof written === "object" || written === undefined) return "";
  return String(written);
}

/** An address with the gate that its connections must pass. */
export type Address = { url: URL; gate: Gate };

/** By the rules for what strangers name. */
export function asAddress(address: Foreign<URL>, gate: StrictGate): Address {
  return { url: unwrap(address), gate };
}

/** Of a document that the person keeps in a file of their own. */
export function asOwnAddress(address: Foreign<URL>, gate: Gate): Address {
  return { url: unwrap(address), gate };
}

/** As JSON, to be kept and read again as foreign. */
export function asStored(values: readonly Foreign[]): string {
  return JSON.stringify(values.map(unwrap));
}
