import { RE2JS, RE2Set } from "re2js";
import { toLinearSyntax } from "./linear-syntax.ts";
import { type LinearPattern, useEngine } from "./matcher.ts";

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

export function createPatternReplacer(
  patterns: readonly string[],
  mark: string,
): (text: string) => string {
  const compiled = patterns.map((pattern) => RE2JS.compile(pattern));
  return (text) =>
    compiled.reduce((masked, pattern) => pattern.matcher(masked).replaceAll(() => mark), text);
}

/** It does not know look-around, back-references and more than a thousand repetitions. */
function compileLinear(pattern: string, isUnicode: boolean): LinearPattern | null {
  const translated = toLinearSyntax(pattern, isUnicode);
  if (translated === null) return null;
  try {
    const compiled = RE2JS.compile(translated);
    return { test: (text) => compiled.test(text), size: compiled.programSize() };
  } catch {
    return null;
  }
}

useEngine(compileLinear);
