import { endOfString } from "./json-members.ts";

/** Shorter text cannot hold the event loop, whatever is in it. */
const shortLength = 64 * 1024;
/** Far deeper than real data, far from the end of the stack. */
const maxDepth = 1_000;
/** Reading, checking and writing them takes some tens of milliseconds. */
const maxValues = 400_000;
/** A name that was not seen before costs as much as twenty values. */
const maxNames = 25_000;
const [quote, colon, comma] = [0x22, 0x3a, 0x2c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/** How many different texts were given, about. The seed keeps strangers from choosing texts that count as one. */
function createNameCounter() {
  const seen = new Uint8Array(1 << 17);
  const seed = (Math.random() * 2 ** 31) | 1;
  let count = 0;
  return (text: string, from: number, end: number): number => {
    let hash = seed;
    for (let at = from; at < end && at < from + 64; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), seed);
    const place = (hash ^ (hash >>> 15)) & (seen.length - 1);
    count += 1 - (seen[place] as number);
    seen[place] = 1;
    return count;
  };
}

/** Why it would take too long to read; null for everything that is short. One pass, also over what is no JSON. */
export function tooMuchIn(text: string): string | null {
  if (text.length <= shortLength) return null;
  const count = createNameCounter();
  let [depth, values, from, end] = [0, 0, 0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      from = at;
      at = endOfString(text, at);
      end = at;
    } else if (code === colon) {
      if (count(text, from, end) > maxNames) return `its objects have more than ${maxNames} names; ${sendLess}`;
    } else if (code === comma) values += 1;
    else if (code === openBrace || code === openBracket) {
      depth += 1;
      values += 1;
      if (depth > maxDepth) return `it is nested too deeply, more than ${maxDepth} levels`;
    } else if (code === closeBrace || code === closeBracket) depth -= 1;
    if (values > maxValues) return `it has more than ${maxValues} values; ${sendLess}`;
  }
  return null;
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

/** What JSON leaves open: two readers of it may read two different values. Null if there is nothing of it in valid JSON. */
export function ambiguityIn(text: string, value: unknown): string | null {
  if ((maybeHalf.test(text) || !text.isWellFormed()) && hasHalf(value)) return halfText;
  if (writtenMembers(text) === countMembers(value)) return null;
  return `its member '${repeatedIn(text)}' is written twice`;
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
