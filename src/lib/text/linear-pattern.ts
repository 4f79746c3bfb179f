import { RE2JS, RE2Set } from "re2js";

export function patternProblem(pattern: string): string | null {
  try {
    RE2JS.compile(pattern);
    return null;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

/** Looks for all patterns at once, in time that hardly grows with their number. */
export function createPatternSet(patterns: readonly string[]): (text: string) => readonly number[] {
  const set = new RE2Set();
  for (const pattern of patterns) set.add(pattern);
  return (text) => set.match(text);
}
