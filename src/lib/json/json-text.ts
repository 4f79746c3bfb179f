import { mayLoseNumbers, parseExactly } from "./exact-numbers.ts";

/** Bytes where there are many: decoding and encoding a large value costs more than all else. */
const sources = new WeakMap<object, string | Buffer>();

/** Keeps the source of a value, to pass it on unchanged. Values are not mutated. */
export function rememberText(value: object, source: string | Buffer): void {
  sources.set(value, source);
}

/** Of values whose text two readers may read differently. */
const ambiguities = new WeakMap<object, string>();

/** False if there is none. */
export function noteAmbiguity(value: object, what: string | null): boolean {
  if (what !== null) ambiguities.set(value, what);
  return what !== null;
}

export function ambiguityOf(value: object): string | undefined {
  return ambiguities.get(value);
}

/** The JSON of exactly this value, where known. */
export function textOf(value: object): string | undefined {
  return sources.get(value)?.toString();
}

/** The original bytes, where kept. */
export function bytesOf(value: object): Buffer | undefined {
  const source = sources.get(value);
  return typeof source === "string" ? undefined : source;
}

/** In characters or bytes, whichever is known. */
export function sizeOf(value: object): number | undefined {
  return sources.get(value)?.length;
}

/** Writes it anew, since every reader must see what was inspected. Numbers that would change keep their text. */
export function rewriteText(value: object): void {
  const text = textOf(value);
  if (text !== undefined && mayLoseNumbers(text)) sources.set(value, JSON.stringify(parseExactly(text)));
  else sources.delete(value);
}
