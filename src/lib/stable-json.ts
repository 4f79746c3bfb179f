/** JSON with sorted keys: equal values give equal text. */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, sortKeys) ?? "null";
}

function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

// Node's cryptography takes about as long to load as a small command has in all, so it is loaded on first use.
export function hash(value: unknown): string {
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(stableJson(value)).digest("hex");
}
