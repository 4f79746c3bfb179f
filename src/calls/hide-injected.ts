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
  const hideIn = (part: unknown): unknown => {
    if (typeof part === "string") return hideText()(part);
    if (hidden.some((value) => isLarge(value) && sameJson(value, part))) return placeholder;
    if (Array.isArray(part)) return part.map(hideIn);
    if (!isObject(part) || isRawJSON(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, hideIn(inner)]));
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
  const causeText = cause instanceof Error ? text(cause.message) : undefined;
  // Their names are ours.
  const safeData = {
    ...value(data),
    ...withoutUndefined({ server: data.server, tool: data.tool }),
  };
  const isClean =
    text(message) === message &&
    (causeText === undefined || causeText === (cause as Error).message);
  // A server may repeat them beside its words only.
  if (isClean && sameJson(safeData, data)) return error;
  const options = causeText === undefined ? {} : { cause: new Error(causeText) };
  return new PlaneError(code, text(message), { data: safeData, ...options });
}

/** Not `true`, `1` or an empty list, which are common to many. */
function isLarge(value: Json): boolean {
  if (typeof value === "number") return Math.abs(value) >= 1_000;
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function createTextHider(hidden: readonly Json[]): (text: string) => string {
  const literals = hidden.flatMap(spellings).sort((a, b) => b.length - a.length);
  const hiddenTexts = hidden.flatMap(textsOf).filter((text) => text.length > 1);
  const dressed = createHider(hiddenTexts, 8);
  const patterns = hiddenTexts.map(
    (text) => new RegExp(`(?<![\\p{L}\\p{N}])${escaped(text)}(?![\\p{L}\\p{N}])`, "gu"),
  );
  return (text) => {
    const withoutLiterals = literals.reduce(
      (shown, literal) => shown.replaceAll(literal, placeholder),
      text,
    );
    const withoutTexts = patterns.reduce(
      (shown, pattern) => shown.replaceAll(pattern, placeholder),
      withoutLiterals,
    );
    return dressed(withoutTexts);
  };
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Texts and those in lists. Members of objects are common to many. */
function textsOf(value: Json): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number" && Math.abs(value) >= 1_000) return [String(value)];
  if (!Array.isArray(value)) return [];
  return value.filter((inner) => typeof inner === "string");
}

/** As others write JSON: tight, with spaces, on lines, and inside JSON text. */
function spellings(value: Json): string[] {
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) return [];
  const tight = JSON.stringify(value);
  const spaced = JSON.stringify(value, null, 1)
    .replaceAll(/,\n\s*/g, ", ")
    .replaceAll(/\n\s*/g, "");
  const forms = [tight, spaced, JSON.stringify(value, null, 2), JSON.stringify(value, null, 4)];
  return [...forms, ...forms.map((text) => JSON.stringify(text).slice(1, -1))];
}
