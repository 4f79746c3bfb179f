import { isObject, type Path } from "../../model/json.ts";

/** The same value with every text in it changed. Keys stay, and what had no prototype gets none. */
export function mapTexts(value: unknown, change: (text: string, path: Path) => string, path: Path = []): unknown {
  if (typeof value === "string") return change(value, path);
  if (Array.isArray(value)) return value.map((item, at) => mapTexts(item, change, [...path, at]));
  if (!isObject(value)) return value;
  const changed = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, mapTexts(inner, change, [...path, key])]),
  );
  return Object.getPrototypeOf(value) === null ? Object.setPrototypeOf(changed, null) : changed;
}
