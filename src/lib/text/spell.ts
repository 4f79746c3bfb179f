/** Any value as text. Objects of files have no prototype, so that `String` would throw. */
export function spell(value: unknown): string {
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  return String(value ?? "");
}
