import { endOfString } from "./json-members.ts";

/** Shorter text cannot hold the event loop, whatever is in it. */
const shortLength = 64 * 1024;
/** Far deeper than real data, far from the end of the stack. */
const maxDepth = 1_000;
/** Reading, checking and writing them takes some tens of milliseconds. */
const maxValues = 400_000;
/** A name that was not seen before costs as much as twenty values. */
const maxNames = 25_000;
/** Turning many more digits into a number takes time that grows with their square. */
const maxDigits = 1_000;
const [quote, colon, comma, backslash] = [0x22, 0x3a, 0x2c, 0x5c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/** How many different names were given, about. The seed keeps strangers from choosing names that count as one. */
function createNameCounter(bytes: Buffer) {
  const seen = new Uint8Array(1 << 17);
  const seed = (Math.random() * 2 ** 31) | 1;
  let count = 0;
  return (from: number, end: number): number => {
    let hash = seed;
    for (let at = from; at < end && at < from + 64; at += 1) hash = Math.imul(hash ^ (bytes[at] as number), seed);
    const place = (hash ^ (hash >>> 15)) & (seen.length - 1);
    count += 1 - (seen[place] as number);
    seen[place] = 1;
    return count;
  };
}

/** Most texts are short; in a long one the next quote is looked for by the system. */
const nearLength = 64;

function endOfText(bytes: Buffer, opening: number): number {
  const near = opening + nearLength;
  let at = opening + 1;
  for (; at < near; at += 1) {
    const code = bytes[at];
    if (code === quote) return at;
    if (code === backslash) at += 1;
  }
  for (let end = bytes.indexOf(quote, at); end >= 0; end = bytes.indexOf(quote, end + 1)) {
    let before = end - 1;
    while (before >= at && bytes[before] === backslash) before -= 1;
    if ((end - 1 - before) % 2 === 0) return end;
  }
  return bytes.length;
}

type Kind = 0 | 1 | 2 | 3 | 4 | 5 | 6;
/** What a byte outside of texts does: 0 goes on, 1 is space, then quote, colon, comma, opening, closing. */
const kinds = new Uint8Array(256);
for (const [kind, codes] of [[9, 10, 13, 32], [quote], [colon], [comma], [0x7b, 0x5b], [0x7d, 0x5d]].entries())
  for (const code of codes) kinds[code] = kind + 1;

type Measured = { tooMuch: string | null; members: number };

/** Why it would take too long to read. Short text never does, and is not looked at. One pass, also over what is no JSON. */
export function measureJson(text: string, bytes?: Buffer): Measured {
  return text.length <= shortLength ? { tooMuch: null, members: -1 } : measure(bytes ?? Buffer.from(text));
}

/** `bytes` where they are known. */
export function tooMuchIn(text: string, bytes?: Buffer): string | null {
  return measureJson(text, bytes).tooMuch;
}

/** Bytes: to look at one takes a fraction of what a character takes. */
function measure(bytes: Buffer): Measured {
  const count = createNameCounter(bytes);
  let members = 0;
  let depth = 0;
  let values = 0;
  let from = 0;
  let mark = 0;
  const refused = (tooMuch: string) => ({ tooMuch, members });
  for (let at = 0; at < bytes.length; at += 1) {
    const kind = kinds[bytes[at] as number] as Kind;
    if (kind === 0) continue;
    if (at - mark > maxDigits) return refused(`it has a number of more than ${maxDigits} digits`);
    if (kind === 2) {
      from = at;
      at = endOfText(bytes, at);
    } else if (kind === 3) {
      members += 1;
      if (count(from, at) > maxNames) return refused(`its objects have more than ${maxNames} names; ${sendLess}`);
    } else if (kind === 4) values += 1;
    else if (kind === 5) {
      depth += 1;
      values += 1;
      if (depth > maxDepth) return refused(`it is nested too deeply, more than ${maxDepth} levels`);
    } else if (kind === 6) depth -= 1;
    if (values > maxValues) return refused(`it has more than ${maxValues} values; ${sendLess}`);
    mark = at + 1;
  }
  return { tooMuch: null, members };
}

const sendLess = "send less at once, or as one text";

/** Of its objects, in valid JSON: as they are written. */
function writtenMembers(text: string): number {
  let members = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === colon) members += 1;
  }
  return members;
}

const maybeHalf = /\\u[dD][89a-fA-F]/;

/** What JSON leaves open, so that two readers may read two values. Null for none. `members` where they were counted. */
export function ambiguityIn(text: string, value: unknown, members = -1): string | null {
  if (isAsWritten(text, value)) return null;
  if ((maybeHalf.test(text) || !text.isWellFormed()) && hasHalf(value)) return halfText;
  if ((members < 0 ? writtenMembers(text) : members) === countMembers(value)) return null;
  return `its member '${repeatedIn(text)}' is written twice`;
}

/** Most texts were written by this very function: nothing is twice in them, and nothing changes when they are written again. */
export function isAsWritten(text: string, value: unknown): boolean {
  return text.length <= shortLength && JSON.stringify(value) === text && !maybeHalf.test(text);
}

export const halfText = "a text in it has half a character (a lone surrogate)";

/** Half of a character that takes two, in a name or a text of a value that is not too deep. */
export function hasHalf(value: unknown): boolean {
  if (typeof value === "string") return !value.isWellFormed();
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hasHalf);
  for (const key in value) if (!key.isWellFormed() || hasHalf((value as Record<string, unknown>)[key])) return true;
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
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === openBrace) open.push(new Set());
    else if (code === openBracket) open.push(null);
    else if (code === closeBrace || code === closeBracket) open.pop();
    if (code !== quote) continue;
    const end = endOfString(text, at);
    const names = open.at(-1);
    if (names && /^\s*:/.test(text.slice(end + 1, end + 200))) {
      const name = JSON.parse(text.slice(at, end + 1)) as string;
      if (names.has(name)) return name.slice(0, maxShown);
      names.add(name);
    }
    at = end;
  }
  return "";
}

/** Undefined if it is no JSON, or would take too long. */
export function readJson(text: string): unknown {
  if (tooMuchIn(text) !== null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
