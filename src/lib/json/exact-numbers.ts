/** Far deeper than real data, far from the end of the stack. */
const deepest = 1_000;

/** Recursion over it would overflow the stack. */
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

/** A number that changes when parsed: its path and its text. */
type ExactNumber = { path: readonly string[]; text: string };

type RawJson = { rawJSON(text: string): object; isRawJSON(value: unknown): boolean };
type Context = { source?: string };

const { rawJSON, isRawJSON } = JSON as unknown as RawJson;

export { isRawJSON };

/** Many digits, a long exponent or a signed zero: only these can change. */
const suspicious = /(?:\d\.?){16}|\d[eE][+-]?\d{3}|-0(?!\.?\d*[1-9])/;

export function mayLoseNumbers(text: string): boolean {
  return suspicious.test(text);
}

/** Numbers that would change stay as their text; JSON.stringify writes them back. */
export function parseExactly(text: string): unknown {
  const reviver = (_key: string, value: unknown, { source }: Context) =>
    typeof value === "number" && source !== undefined && isLost(source, value) ? rawJSON(source) : value;
  return JSON.parse(text, reviver as (key: string, value: unknown) => unknown);
}

function isLost(source: string, value: number): boolean {
  return decimalOf(source) !== decimalOf(Object.is(value, -0) ? "0" : String(value));
}

/** The same for every way to write one number. */
function decimalOf(text: string): string {
  const [, sign = "", whole = "", part = "", power = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = `${whole}${part}`.replace(/^0+/, "");
  const kept = digits.replace(/0+$/, "");
  if (kept === "") return `${sign}${whole === "" ? text : "0"}`;
  return `${sign}${kept}e${Number(power) - part.length + digits.length - kept.length}`;
}

/** By their object; `holders` are all objects around them. */
const texts = new WeakMap<object, Map<string, string>>();
const holders = new WeakSet<object>();

/** Remembers texts of numbers that would change. */
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

/** Undefined for numbers that did not change. */
export function exactText(holder: object, key: string): string | undefined {
  return texts.get(holder)?.get(key);
}

/** Costs nothing where there are none. */
export function exactNumbersIn(value: unknown, path: readonly string[] = []): ExactNumber[] {
  if (!isHolder(value) || !holders.has(value)) return [];
  const own = [...(texts.get(value) ?? [])].map(([key, text]) => ({ path: [...path, key], text }));
  return [...own, ...Object.keys(value).flatMap((key) => exactNumbersIn(value[key], [...path, key]))];
}

/** The first that is more than rounded: another whole number, or none at all. */
export function findChanged(numbers: readonly ExactNumber[] = []): ExactNumber | undefined {
  return numbers.find(({ text }) => /^-?[1-9]\d*$/.test(text) || !Number.isFinite(Number(text)));
}

/** Where they still have the value that was parsed. */
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

/** For a value that was noted and not copied since. */
export function withExactNumbers<T>(value: T): T {
  return putExactNumbers(value, exactNumbersIn(value));
}
