/** Deeper than anybody writes, and far from where recursion ends. */
const deepest = 1_000;

/** Nested so deeply that recursion over it would overflow the stack. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= deepest; depth++) {
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== "object" || item === null) continue;
      for (const child of Object.values(item)) if (typeof child === "object" && child !== null) next.push(child);
    }
    if (next.length === 0) return false;
    level = next;
  }
  return true;
}

/** A number that is another one once it is read: where it stands, and how it was written. */
type ExactNumber = { path: readonly string[]; text: string };

type RawJson = { rawJSON(text: string): object; isRawJSON(value: unknown): boolean };
type Context = { source?: string };

const { rawJSON, isRawJSON } = JSON as unknown as RawJson;

export { isRawJSON };

/** Many digits, a long exponent, or a zero with a sign: only then anything can be lost, and it is worth a second look. */
const suspicious = /(?:\d\.?){16}|\d[eE][+-]?\d{3}|-0(?!\.?\d*[1-9])/;

/** May some number in this JSON not survive being read and written? */
export function mayLoseNumbers(text: string): boolean {
  return suspicious.test(text);
}

/** The same value with every number that cannot be read exactly in its own words; JSON.stringify writes them as they were. */
export function parseExactly(text: string): unknown {
  const reviver = (_key: string, value: unknown, { source }: Context) =>
    typeof value === "number" && source !== undefined && isLost(source, value) ? rawJSON(source) : value;
  return JSON.parse(text, reviver as (key: string, value: unknown) => unknown);
}

function isLost(source: string, value: number): boolean {
  return decimalOf(source) !== decimalOf(Object.is(value, -0) ? "0" : String(value));
}

/** Its digits and where they stand, the same for every way to write one number. */
function decimalOf(text: string): string {
  const [, sign = "", whole = "", part = "", power = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = `${whole}${part}`.replace(/^0+/, "");
  const kept = digits.replace(/0+$/, "");
  if (kept === "") return `${sign}${whole === "" ? text : "0"}`;
  return `${sign}${kept}e${Number(power) - part.length + digits.length - kept.length}`;
}

/** By the object they stand in; `holders` are all objects that have one somewhere inside. */
const texts = new WeakMap<object, Map<string, string>>();
const holders = new WeakSet<object>();

/** Remembers how the numbers of a value were written that was read from this text, where that matters. */
export function noteExactNumbers(value: unknown, text: string): void {
  if (suspicious.test(text) && !isTooDeep(value)) note(value, parseExactly(text));
}

function note(value: unknown, exact: unknown): boolean {
  if (!isHolder(value) || !isHolder(exact)) return false;
  let holds = false;
  for (const [key, inner] of Object.entries(exact)) {
    if (isRawJSON(inner)) {
      const known = texts.get(value) ?? new Map<string, string>();
      texts.set(value, known.set(key, (inner as { rawJSON: string }).rawJSON));
      holds = true;
    } else if (note(value[key], inner)) holds = true;
  }
  if (holds) holders.add(value);
  return holds;
}

function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** How the number under this key was written, where it is another one by now. */
export function exactText(holder: object, key: string): string | undefined {
  return texts.get(holder)?.get(key);
}

/** All of them, wherever they stand. Costs nothing where there are none. */
export function exactNumbersIn(value: unknown, path: readonly string[] = []): ExactNumber[] {
  if (!isHolder(value) || !holders.has(value)) return [];
  const own = [...(texts.get(value) ?? [])].map(([key, text]) => ({ path: [...path, key], text }));
  return [...own, ...Object.keys(value).flatMap((key) => exactNumbersIn(value[key], [...path, key]))];
}

/** The first that is more than rounded: a whole number that becomes another, or one that is none any more. */
export function findChanged(numbers: readonly ExactNumber[] = []): ExactNumber | undefined {
  return numbers.find(({ text }) => /^-?[1-9]\d*$/.test(text) || !Number.isFinite(Number(text)));
}

/** The value with these numbers in their own words, where they still are what they were read as. */
export function putExactNumbers<T>(value: T, numbers: readonly ExactNumber[]): T {
  return numbers.reduce<unknown>((changed, { path, text }) => put(changed, path, text), value) as T;
}

function put(value: unknown, [key, ...rest]: readonly string[], text: string): unknown {
  if (key === undefined) return Object.is(value, Number(text)) ? rawJSON(text) : value;
  if (!isHolder(value) || !Object.hasOwn(value, key)) return value;
  const changed = put(value[key], rest, text);
  if (changed === value[key]) return value;
  if (Array.isArray(value)) return value.with(Number(key), changed);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, name === key ? changed : one]));
}

/** The same for a value that was noted and has not been copied since. */
export function withExactNumbers<T>(value: T): T {
  return putExactNumbers(value, exactNumbersIn(value));
}
