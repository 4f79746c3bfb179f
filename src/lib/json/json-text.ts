import { mayLoseNumbers, parseExactly } from "./exact-numbers.ts";

/** Bytes where there are many: decoding and encoding a large value costs more than all else. */
type Source = string | Buffer;

class ExistingObject {
  constructor(value: object) {
    // biome-ignore lint/correctness/noConstructorReturn: the fields of a subclass are added to this value
    return value;
  }
}

/** Added to a value as a private field, which no copy has: a weak map costs ten times as much, and more with each collection. */
class Sourced extends ExistingObject {
  #source: Source | undefined;

  constructor(value: object, source: Source) {
    super(value);
    this.#source = source;
  }

  static of(value: object): Source | undefined {
    return #source in value ? value.#source : undefined;
  }

  static set(value: object, source: Source | undefined): void {
    if (#source in value) value.#source = source;
    else if (source !== undefined) new Sourced(value, source);
  }
}

/** Keeps the source of a value, to pass it on unchanged. Values are not mutated. */
export function rememberText(value: object, source: Source): void {
  Sourced.set(value, source);
}

/** Of values whose text two readers may read differently. */
const ambiguities = new WeakMap<object, string>();

/** False if there is none. */
export function noteAmbiguity(value: object, ambiguity: string | null): boolean {
  if (ambiguity !== null) ambiguities.set(value, ambiguity);
  return ambiguity !== null;
}

export function ambiguityOf(value: object): string | undefined {
  return ambiguities.get(value);
}

/** The JSON of exactly this value, where known. */
export function sourceTextOf(value: object): string | undefined {
  return Sourced.of(value)?.toString();
}

/** The original bytes, where kept. */
export function bytesOf(value: object): Buffer | undefined {
  const source = Sourced.of(value);
  return typeof source === "string" ? undefined : source;
}

/** In characters or bytes, whichever is known. */
export function sizeOf(value: object): number | undefined {
  return Sourced.of(value)?.length;
}

/** Writes it again, since every reader must see what was inspected. Numbers that would change keep their text. */
export function rewriteText(value: object): void {
  const text = sourceTextOf(value);
  if (text !== undefined && mayLoseNumbers(text))
    Sourced.set(value, JSON.stringify(parseExactly(text)));
  else Sourced.set(value, undefined);
}
