import { endOfString } from "./json-members.ts";

/** Shorter text cannot hold the event loop, whatever is in it. */
const shortLength = 64 * 1024;
/** Far deeper than real data, far from the end of the stack. */
export const maxDepth = 1_000;
/** Reading, checking and writing them takes some tens of milliseconds. */
const maxValues = 400_000;
/** Of what a client sends: it is also checked against a schema, compared with its text and hashed. */
export const maxClientValues = 100_000;
/** A name that was not seen before costs as much as twenty values. */
const maxNames = 25_000;
/** Turning many more digits into a number takes time that grows with their square. */
const maxDigits = 1_000;
const quote = 0x22;
const colon = 0x3a;
const comma = 0x2c;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** How many different names were given, about. The seed keeps strangers from choosing names that count as one. */
class NameCounter {
  readonly #bytes: Buffer;
  readonly #seen = new Uint8Array(1 << 17);
  readonly #seed = (Math.random() * 2 ** 31) | 1;
  #count = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  add(from: number, end: number): number {
    const seed = this.#seed;
    let hash = seed;
    for (let index = from; index < end && index < from + 64; index += 1)
      hash = Math.imul(hash ^ (this.#bytes[index] as number), seed);
    const slot = (hash ^ (hash >>> 15)) & (this.#seen.length - 1);
    this.#count += 1 - (this.#seen[slot] as number);
    this.#seen[slot] = 1;
    return this.#count;
  }
}

/** Most texts are short; in a long one the next quote is looked for by the system. */
const nearLength = 64;
const longLength = 1_000;

function endOfText(bytes: Buffer, opening: number): number {
  for (let index = opening + 1; ; ) {
    const near = Math.min(index + nearLength, bytes.length);
    for (; index < near; index += 1) {
      const code = bytes[index];
      if (code === quote) return index;
      if (code === backslash) index += 1;
    }
    const end = bytes.indexOf(quote, index);
    if (end < 0) return bytes.length;
    if (end - index < longLength) continue;
    let preceding = end - 1;
    while (preceding >= index && bytes[preceding] === backslash) preceding -= 1;
    if ((end - preceding) % 2 === 1) return end;
    index = end + 1;
  }
}

type Kind = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;
/** What a byte outside of texts does: 0 goes on, 1 is space, then quote, colon, comma, opening, closing, sign or exponent. */
const kinds = new Uint8Array(256);
for (const [kind, codes] of [
  [9, 10, 13, 32],
  [quote],
  [colon],
  [comma],
  [0x7b, 0x5b],
  [0x7d, 0x5d],
  [0x2d, 0x45, 0x65],
].entries())
  for (const code of codes) kinds[code] = kind + 1;

/** A number of fewer characters without an exponent is read as it is written. */
const exactLength = 16;
const isDigit = (code = 0) => code >= 0x30 && code <= 0x39;

/** Of the sign or the exponent of a number: a zero with a sign, or an exponent of three digits. */
function isInexact(bytes: Buffer, index: number): boolean {
  if (bytes[index] === 0x2d) return bytes[index + 1] === 0x30;
  if (!isDigit(bytes[index - 1])) return false;
  if (isDigit(bytes[index + 1])) return isDigit(bytes[index + 3]);
  return isDigit(bytes[index + 4]);
}

type Measured = {
  tooMuch: string | null;
  isTooDeep?: boolean;
  /** -1 where they were not counted, as in short text. */
  members: number;
  /** Numbers that might change when they are read; -1 where they were not counted. */
  inexact: number;
  /** Bytes after the first object or list inside of it. */
  rest?: number | undefined;
  /** As they are written: `arguments` at 1, and those in `params` at 2. */
  arguments?: (Buffer | undefined)[];
};

const unmeasured: Measured = { tooMuch: null, members: -1, inexact: -1 };

/** Why it would take too long to read. Short text never does, and is not looked at. One pass, also over what is no JSON. `bytes` where they are known. */
export function measureJson(text: string, valueLimit = maxValues, bytes?: Buffer): Measured {
  if (text.length <= shortLength) return unmeasured;
  return measure(bytes ?? Buffer.from(text), valueLimit);
}

/** Small and called often, so that it is compiled: a loop of one long run is not. */
function skipRun(bytes: Buffer, from: number, end: number): number {
  const kind = kinds[bytes[from] as number];
  let index = from + 1;
  while (index < end && kinds[bytes[index] as number] === kind) index += 1;
  return index;
}

const runLength = 1_024;

/** Bytes: to look at one takes a fraction of what a character takes. */
function measure(bytes: Buffer, valueLimit: number): Measured {
  const names = new NameCounter(bytes);
  const argumentsFinder = new ArgumentsFinder(bytes);
  const end = bytes.length;
  let members = 0;
  let inexact = 0;
  let depth = 0;
  let values = 0;
  let textStart = 0;
  let tokenStart = 0;
  let trailingBytes: number | undefined;
  let tooMuch: string | null = null;
  for (let index = 0; index < end && tooMuch === null; index += 1) {
    const kind = kinds[bytes[index] as number] as Kind;
    if (kind === 0) {
      index = skipRun(bytes, index, Math.min(index + runLength, end)) - 1;
      if (index - tokenStart > maxDigits)
        tooMuch = `it has a number of more than ${maxDigits} digits`;
      continue;
    }
    if (kind === 7) {
      if (isInexact(bytes, index)) inexact += 1;
      continue;
    }
    if (index - tokenStart >= exactLength) inexact += 1;
    if (kind === 1) index = skipRun(bytes, index, Math.min(index + runLength, end)) - 1;
    else if (kind === 2) {
      textStart = index;
      index = endOfText(bytes, index);
    } else if (kind === 3) {
      members += 1;
      if (depth <= 2) argumentsFinder.name(textStart, index, depth);
      if (names.add(textStart, index) > maxNames)
        tooMuch = `its objects have more than ${maxNames} names; ${sendLess}`;
    } else if (kind === 4) {
      values += 1;
      if (depth <= 2) argumentsFinder.end(index, depth);
    } else if (kind === 5) {
      depth += 1;
      values += 1;
      if (depth > maxDepth) tooMuch = `it is nested too deeply, more than ${maxDepth} levels`;
    } else {
      if (depth <= 2) argumentsFinder.end(index, depth);
      depth -= 1;
      if (depth === 1) trailingBytes ??= end - index - 1;
    }
    if (values > valueLimit) tooMuch ??= `it has more than ${valueLimit} values; ${sendLess}`;
    tokenStart = index + 1;
  }
  return {
    tooMuch,
    isTooDeep: depth > maxDepth,
    members,
    inexact,
    rest: trailingBytes,
    arguments: argumentsFinder.argumentsByDepth,
  };
}

/** The values of `arguments` in the object, and in its `params`. */
class ArgumentsFinder {
  readonly #bytes: Buffer;
  readonly #begun: (number | undefined)[] = [];
  readonly argumentsByDepth: (Buffer | undefined)[] = [];
  #outer = "";

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  name(from: number, colonAt: number, depth: number): void {
    const name =
      colonAt - from < nearLength ? this.#bytes.toString("latin1", from, colonAt).trim() : "";
    if (depth === 1) this.#outer = name;
    if (name === '"arguments"' && (depth === 1 || this.#outer === '"params"'))
      this.#begun[depth] ??= colonAt + 1;
  }

  end(index: number, depth: number): void {
    const start = this.#begun[depth];
    if (start !== undefined) this.argumentsByDepth[depth] ??= this.#bytes.subarray(start, index);
  }
}

const sendLess = "send less at once, or as one text";

/** Of its objects, in valid JSON: as they are written. */
function writtenMembers(text: string): number {
  let members = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) index = endOfString(text, index);
    else if (code === colon) members += 1;
  }
  return members;
}

const maybeSurrogate = /\\u[dD][89a-fA-F]/;

/** What JSON leaves open, so that two readers may read two values. Null for none. `members` where they were counted. */
export function ambiguityIn(text: string, value: unknown, members = -1): string | null {
  if (isAsWritten(text, value)) return null;
  if ((maybeSurrogate.test(text) || !text.isWellFormed()) && hasHalf(value)) return halfText;
  if ((members < 0 ? writtenMembers(text) : members) === countMembers(value)) return null;
  return `its member '${repeatedIn(text)}' is written twice`;
}

/** Most texts were written by this very function: nothing is twice in them, and nothing changes when they are written again. */
export function isAsWritten(text: string, value: unknown): boolean {
  return text.length <= shortLength && JSON.stringify(value) === text && !maybeSurrogate.test(text);
}

export const halfText = "a text in it has half a character (a lone surrogate)";

/** Half of a character that takes two, in a name or a text of a value that is not too deep. */
export function hasHalf(value: unknown): boolean {
  if (typeof value === "string") return !value.isWellFormed();
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hasHalf);
  for (const key in value)
    if (!key.isWellFormed() || hasHalf((value as Record<string, unknown>)[key])) return true;
  return false;
}

function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object") count += countMembers(item);
    return count;
  }
  for (const key in value) {
    count += 1;
    const inner = (value as Record<string, unknown>)[key];
    if (typeof inner === "object") count += countMembers(inner);
  }
  return count;
}

const maxShown = 40;

/** Only for text that has such a member. */
function repeatedIn(text: string): string {
  const open: (Set<string> | null)[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === openBrace) open.push(new Set());
    else if (code === openBracket) open.push(null);
    else if (code === closeBrace || code === closeBracket) open.pop();
    if (code !== quote) continue;
    const end = endOfString(text, index);
    const names = open.at(-1);
    if (names && /^\s*:/.test(text.slice(end + 1, end + 200))) {
      const name = JSON.parse(text.slice(index, end + 1)) as string;
      if (names.has(name)) return name.slice(0, maxShown);
      names.add(name);
    }
    index = end;
  }
  return "";
}

/** Undefined if it is not JSON, or would take too long. */
export function readJson(text: string): unknown {
  if (measureJson(text).tooMuch !== null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
