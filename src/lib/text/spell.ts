/** Any value as text. Objects of files have no prototype, so that `String` would throw. */
export function spell(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
}
