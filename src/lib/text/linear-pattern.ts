import { RE2JS, RE2Set } from "re2js";

/** What is wrong with a pattern, or null. */
export function patternProblem(pattern: string): string | null {
  try {
    RE2JS.compile(pattern);
    return null;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

/**
 * Tells which of many patterns are found somewhere in a text: all of them are looked for at once, in a time that
 * grows with the text and hardly with their number.
 */
export function createPatternSet(patterns: readonly string[]): (text: string) => readonly number[] {
  const set = new RE2Set();
  for (const pattern of patterns) set.add(pattern);
  return (text) => set.match(text);
}
