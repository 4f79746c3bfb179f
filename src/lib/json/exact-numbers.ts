import { scanNumbers } from "./scan-numbers.ts";

/** Far deeper than real data, far from the end of the stack. */
const maxDepth = 1_000;

/** Recursion over it would overflow the stack. */
export function isTooDeep(value: unknown, levelsLeft = maxDepth): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levelsLeft < 0) return true;
  if (Array.isArray(value)) {
    for (const item of value)
      if (typeof item === "object" && isTooDeep(item, levelsLeft - 1)) return true;
    return false;
  }
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    if (typeof inner === "object" && isTooDeep(inner, levelsLeft - 1)) return true;
  }
  return false;
}

/** A number that changes when parsed: its path and its text. */
type ExactNumber = { path: readonly string[]; text: string };

type RawJson = { rawJSON(text: string): object; isRawJSON(value: unknown): boolean };

const { rawJSON, isRawJSON } = JSON as unknown as RawJson;

export { isRawJSON };

/** Many digits, a long exponent or a signed zero: only these can change. */
const suspicious = /(?:\d\.?){16}|\d[eE][+-]?\d{3}|-0(?!\.?\d*[1-9])/;

export function mayLoseNumbers(text: string): boolean {
  return suspicious.test(text);
}

/** Numbers that would change stay as their text; JSON.stringify writes them back. */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const tree = scanNumbers(text, isLost);
  if (tree === undefined) return value;
  return putNumbers(value, tree);
}

const wholeNumber = /^-?\d+$/;

function isLost(source: string): boolean {
  const value = Number(source);
  const written = String(value);
  if (written === source) return false;
  // Whole numbers are written out up to here, so that another text is another number.
  if (value > -1e21 && value < 1e21 && Number.isInteger(value) && wholeNumber.test(source))
    return true;
  return decimalOf(source) !== decimalOf(Object.is(value, -0) ? "0" : written);
}

/** Longer ones are not written out. */
const maxWrittenZeros = 1_000;

/** The ways in which a reader may write a number: as it stands, written out, and as it is when parsed. */
export function spellingsOf(raw: object): string[] {
  const { rawJSON: source } = raw as { rawJSON: string };
  return [...new Set([source, writtenOut(source), String(Number(source))])];
}

/** For a number that keeps its value: only an exponent has two spellings. */
export function numberSpellings(value: number): string[] {
  const text = JSON.stringify(value);
  if (text.includes("e")) return [text, writtenOut(text)];
  return [text];
}

/** Without an exponent, and without zeros that say nothing. */
function writtenOut(source: string): string {
  const [, sign = "", digits = "0", exponentText = "0"] =
    /^(-?)(\d+)e(-?\d+)$/.exec(decimalOf(source)) ?? [];
  const exponent = Number(exponentText);
  if (Math.abs(exponent) > maxWrittenZeros) return source;
  if (exponent >= 0) return `${sign}${digits}${"0".repeat(exponent)}`;
  const padded = digits.padStart(1 - exponent, "0");
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}

/** A normal form: equal for all spellings of one number. */
function decimalOf(text: string): string {
  const [, sign = "", integer = "", fraction = "", exponentText = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = `${integer}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/(?<!0)0+$/, "");
  if (significant === "") return `${sign}${integer === "" ? text : "0"}`;
  return `${sign}${significant}e${Number(exponentText) - fraction.length + digits.length - significant.length}`;
}

/** The texts of one object, or of objects inside of it, by key. */
type Tree = Map<string, Tree | string>;

const trees = new WeakMap<object, Tree>();

/** Each takes a microsecond or two again and again on its way. */
const maxNumbers = 10_000;
/** Each is compared with what is read. */
const maxLongNumbers = 50_000;
export const tooManyNumbers = `it has more than ${maxNumbers} numbers that cannot be read exactly, or ${maxLongNumbers} of more than 15 digits; write them as texts`;

/** Made once: a stack is costly. */
const tooMany = new Error(tooManyNumbers);

/** Remembers texts of numbers that would change. False if there are too many. `inexact` where they were counted. */
export function noteExactNumbers(value: unknown, text: string, inexact = -1): boolean {
  if (inexact === 0 || inexact > maxLongNumbers) return inexact === 0;
  if ((inexact < 0 && !suspicious.test(text)) || isTooDeep(value)) return true;
  let count = 0;
  const isKept = (number: string) => {
    if (!isLost(number)) return false;
    count += 1;
    // The rest need not be looked at.
    if (count > maxNumbers) throw tooMany;
    return true;
  };
  let tree: ReturnType<typeof scanNumbers>;
  try {
    tree = scanNumbers(text, isKept);
  } catch (thrown) {
    if (thrown !== tooMany) throw thrown;
    return false;
  }
  if (tree instanceof Map) noteTree(value, tree);
  return true;
}

function noteTree(value: unknown, tree: Tree): void {
  if (!isHolder(value)) return;
  trees.set(value, tree);
  for (const [key, inner] of tree) if (typeof inner !== "string") noteTree(value[key], inner);
}

function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Undefined for numbers that did not change. */
export function exactText(holder: object, key: string): string | undefined {
  const text = trees.get(holder)?.get(key);
  return typeof text === "string" ? text : undefined;
}

/** Costs nothing where there are none. */
export function exactNumbersIn(value: unknown): ExactNumber[] {
  const exactNumbers: ExactNumber[] = [];
  const tree = isHolder(value) ? trees.get(value) : undefined;
  if (tree) collect(tree, [], exactNumbers);
  return exactNumbers;
}

function collect(tree: Tree, path: string[], exactNumbers: ExactNumber[]): void {
  for (const [key, inner] of tree) {
    if (typeof inner === "string") exactNumbers.push({ path: [...path, key], text: inner });
    else collect(inner, [...path, key], exactNumbers);
  }
}

/** The first that is more than rounded: another whole number, or none at all. */
export function findChanged(numbers: readonly ExactNumber[] = []): ExactNumber | undefined {
  return numbers.find(({ text }) => /^-?[1-9]\d*$/.test(text) || !Number.isFinite(Number(text)));
}

/** Where they still have the value that was parsed. Every object on the way is copied once. */
export function putExactNumbers<T>(value: T, numbers: readonly ExactNumber[]): T {
  if (numbers.length === 0) return value;
  const tree: Tree = new Map();
  for (const { path, text } of numbers) {
    let branch = tree;
    for (const [depth, key] of path.entries()) {
      if (depth === path.length - 1) branch.set(key, text);
      else branch = branchOf(branch, key);
    }
  }
  return putNumbers(value, tree) as T;
}

function branchOf(tree: Tree, key: string): Tree {
  const existingBranch = tree.get(key);
  if (existingBranch instanceof Map) return existingBranch;
  const newBranch: Tree = new Map();
  tree.set(key, newBranch);
  return newBranch;
}

function putNumbers(value: unknown, exact: Tree | string): unknown {
  if (typeof exact === "string") return Object.is(value, Number(exact)) ? rawJSON(exact) : value;
  if (!isHolder(value)) return value;
  const copy = Array.isArray(value) ? [...value] : Object.fromEntries(Object.entries(value));
  for (const [key, inner] of exact) {
    if (!Object.hasOwn(value, key)) continue;
    const exactValue = putNumbers(value[key], inner);
    if (exactValue !== value[key]) setMember(copy, key, exactValue);
  }
  return copy;
}

/** A member of the name __proto__ stays a member. */
function setMember(holder: Record<string, unknown> | unknown[], key: string, value: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(holder, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  else (holder as Record<string, unknown>)[key] = value;
}

/** For a value that was noted and not copied since. */
export function withExactNumbers<T>(value: T): T {
  const tree = isHolder(value) ? trees.get(value) : undefined;
  if (tree) return putNumbers(value, tree) as T;
  return value;
}
