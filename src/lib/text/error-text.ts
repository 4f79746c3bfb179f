/** What someone else's code threw, in its own words. Never throws itself. */
export function errorText(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message) : String(thrown);
  } catch {
    return "something that cannot be shown";
  }
}
