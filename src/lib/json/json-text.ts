import { mayLoseNumbers, parseExactly } from "./exact-numbers.ts";

/** Bytes where they are many: to decode, count and encode them again costs more than everything else about a large value. */
const sources = new WeakMap<object, string | Buffer>();

/** Notes the JSON that a value was read from, so that it can be passed on unchanged. Values are not mutated. */
export function rememberText(value: object, source: string | Buffer): void {
  sources.set(value, source);
}

/** The JSON that exactly this value was read from, where it is known. */
export function textOf(value: object): string | undefined {
  return sources.get(value)?.toString();
}

/** The same as the bytes that came, where they were kept. */
export function bytesOf(value: object): Buffer | undefined {
  const source = sources.get(value);
  return typeof source === "string" ? undefined : source;
}

/** Its characters or its bytes, whichever are known. */
export function sizeOf(value: object): number | undefined {
  return sources.get(value)?.length;
}

/**
 * From now on it is written anew: what was looked into and what is passed on must be the same to every reader. Only
 * numbers that would become others stay as they were.
 */
export function rewriteText(value: object): void {
  const text = textOf(value);
  if (text !== undefined && mayLoseNumbers(text)) sources.set(value, JSON.stringify(parseExactly(text)));
  else sources.delete(value);
}
