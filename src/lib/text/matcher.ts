import { createSafePattern, type SafePattern } from "./safe-pattern.ts";

/** Its time grows with the text alone; `size` is how many steps one character takes at most. */
export type LinearPattern = { test(text: string): boolean; size: number };
type Compile = (pattern: string, isUnicode: boolean) => LinearPattern | null;

/** Takes some 20 ms to load, and few patterns need it. */
let compile: Compile | undefined;

export function useEngine(engine: Compile): void {
  compile = engine;
}

/** A pattern cannot be answered before the engine is loaded. */
export class EngineNeeded extends Error {}

/** Undefined if it is no pattern. What the engine that goes back cannot answer soon, the linear one answers where it can. */
export function createMatcher(pattern: string): SafePattern | undefined {
  const safe = createSafePattern(pattern);
  if (safe === undefined) return undefined;
  let linear: LinearPattern | null | undefined;
  const engine = () => {
    if (compile === undefined) throw new EngineNeeded();
    if (linear === undefined) linear = compile(pattern, safe.isUnicode);
    return linear;
  };
  return {
    isUnicode: safe.isUnicode,
    test: (text) => safe.test(text) ?? engine()?.test(text),
    steps: (length) => {
      const steps = safe.steps(length);
      if (Number.isFinite(steps)) return steps;
      return length * (engine()?.size ?? 0);
    },
  };
}
