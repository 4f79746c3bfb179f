import { RE2JS, RE2Set } from "re2js";
import { createSafePattern, type SafePattern } from "./safe-pattern.ts";

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

export function createPatternReplacer(patterns: readonly string[], mark: string): (text: string) => string {
  const compiled = patterns.map((pattern) => RE2JS.compile(pattern));
  return (text) => compiled.reduce((kept, pattern) => pattern.matcher(kept).replaceAll(() => mark), text);
}

/** Undefined if it is no pattern. What the engine that goes back cannot answer soon, the linear one answers where it can. */
export function createMatcher(pattern: string): SafePattern | undefined {
  const safe = createSafePattern(pattern);
  if (safe === undefined) return undefined;
  let linear: RE2JS | null | undefined;
  const engine = () => {
    if (linear === undefined) linear = compileLinear(pattern);
    return linear;
  };
  return {
    test: (text) => safe.test(text) ?? engine()?.test(text),
    steps: (length) => {
      const steps = safe.steps(length);
      return Number.isFinite(steps) ? steps : length * (engine()?.programSize() ?? 0);
    },
  };
}

/** It does not know look-around, back-references and more than a thousand repetitions. */
function compileLinear(pattern: string): RE2JS | null {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch {
    return null;
  }
}
