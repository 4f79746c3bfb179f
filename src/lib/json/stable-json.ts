import { isRawJSON } from "./exact-numbers.ts";

/** Sorted keys: equal values give equal text. */
export function stableJson(value: unknown): string {
  return (isSorted(value) ? JSON.stringify(value) : JSON.stringify(value, sortKeys)) ?? "null";
}

/** Most values are sorted, and a look costs a fraction of sorting. */
function isSorted(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isSorted);
  if ("toJSON" in value) return false;
  const keys = Object.keys(value);
  return keys.every(
    (key, index) =>
      (index === 0 || (keys[index - 1] as string) < key) &&
      isSorted((value as Record<string, unknown>)[key]),
  );
}

function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value) || isRawJSON(value))
    return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

// Loaded on first use: node:crypto takes as long to load as a small command has in all.
export function hash(value: unknown): string {
  return hashText(stableJson(value));
}

export function hashText(text: string | Uint8Array): string {
  return process.getBuiltinModule("node:crypto").hash("sha256", text);
}
