import { once } from "../lib/async/once.ts";
import { isRawJSON } from "../lib/json/exact-numbers.ts";
import { sameJson, withoutUndefined } from "../lib/json/plain-data.ts";
import { createHider } from "../lib/text/redact.ts";
import { PlaneError } from "../model/errors.ts";
import { isObject, type Json, type JsonObject } from "../model/json.ts";

const placeholder = "«injected»";

/** Removes injected values from providers' words: some repeat what they were given. */
export type InjectedHider = {
  text(text: string): string;
  value<T>(value: T): T;
  error(thrown: unknown): unknown;
  /** Hidden in complaints, not in answers. */
  result(result: unknown): unknown;
};

const nothing: InjectedHider = {
  text: (text) => text,
  value: (value) => value,
  error: (thrown) => thrown,
  result: (result) => result,
};

export function createInjectedHider(values: JsonObject): InjectedHider {
  const hidden = Object.values(values);
  if (hidden.length === 0) return nothing;
  const hideText = once(() => createTextHider(hidden));
  const hideIn = (given: unknown): unknown => {
    if (typeof given === "string") return hideText()(given);
    if (hidden.some((value) => isLarge(value) && sameJson(value, given))) return placeholder;
    if (Array.isArray(given)) return given.map(hideIn);
    if (!isObject(given) || isRawJSON(given)) return given;
    return Object.fromEntries(Object.entries(given).map(([key, inner]) => [key, hideIn(inner)]));
  };
  const hider: InjectedHider = {
    text: (text) => hideText()(text),
    value: hideIn as InjectedHider["value"],
    error: (thrown) => (thrown instanceof PlaneError ? withoutValues(thrown, hider) : thrown),
    result: (result) => (isObject(result) && result.isError === true ? hideIn(result) : result),
  };
  return hider;
}

function withoutValues(
  error: PlaneError,
  { text, value }: Pick<InjectedHider, "text" | "value">,
): PlaneError {
  const { code, message, data, cause } = error;
  const said = cause instanceof Error ? text(cause.message) : undefined;
  // Their names are ours.
  const shown = { ...value(data), ...withoutUndefined({ server: data.server, tool: data.tool }) };
  const isClean =
    text(message) === message && (said === undefined || said === (cause as Error).message);
  // A server may repeat them beside its words only.
  if (isClean && sameJson(shown, data)) return error;
  const options = said === undefined ? {} : { cause: new Error(said) };
  return new PlaneError(code, text(message), { data: shown, ...options });
}

/** Not `true`, `1` or an empty list, which are common to many. */
function isLarge(value: Json): boolean {
  if (typeof value === "number") return Math.abs(value) >= 1_000;
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function createTextHider(hidden: readonly Json[]): (text: string) => string {
  const literals = hidden.flatMap(spellings).sort((a, b) => b.length - a.length);
  const words = hidden.flatMap(textsOf).filter((word) => word.length > 1);
  const dressed = createHider(words, 8);
  const patterns = words.map(
    (word) => new RegExp(`(?<![\\p{L}\\p{N}])${escaped(word)}(?![\\p{L}\\p{N}])`, "gu"),
  );
  return (text) => {
    const bare = literals.reduce((shown, literal) => shown.replaceAll(literal, placeholder), text);
    const plain = patterns.reduce((shown, pattern) => shown.replaceAll(pattern, placeholder), bare);
    return dressed(plain);
  };
}

function escaped(word: string): string {
  return word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Texts and those in lists. Members of objects are common to many. */
function textsOf(value: Json): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number" && Math.abs(value) >= 1_000) return [String(value)];
  return Array.isArray(value)
    ? value.flatMap((inner) => (typeof inner === "string" ? [inner] : []))
    : [];
}

/** As others write JSON: tight, with spaces, on lines, and inside JSON text. */
function spellings(value: Json): string[] {
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) return [];
  const tight = JSON.stringify(value);
  const spaced = JSON.stringify(value, null, 1)
    .replaceAll(/,\n\s*/g, ", ")
    .replaceAll(/\n\s*/g, "");
  const all = [tight, spaced, JSON.stringify(value, null, 2), JSON.stringify(value, null, 4)];
  return [...all, ...all.map((text) => JSON.stringify(text).slice(1, -1))];
}
