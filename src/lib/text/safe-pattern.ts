/** A pattern that a stranger wrote for JavaScript. */
export type SafePattern = {
  /** Undefined where it might take too long. */
  test(text: string): boolean | undefined;
  /** How many steps a text of this length takes at most, about; endless where it might take too long. */
  steps(length: number): number;
  /** It is read by characters, with the classes of Unicode, as JSON Schema asks. */
  isUnicode: boolean;
};

/** What the engine that goes back may take for one text: a few milliseconds. */
const maxTries = 500_000;
/** What the engine takes to read a class such as `\p{L}`; it reads them again in each pattern. */
const stepsPerProperty = 5_000;
const maxProperties = 200;

/** Undefined if it is no pattern. JavaScript's engine is asked only where it provably ends soon. */
export function createSafePattern(pattern: string): SafePattern | undefined {
  const isUnicode = isValid(withoutProperties(pattern), "u");
  if (!isUnicode && !isValid(pattern, "")) return undefined;
  const tries = countTries(pattern, isUnicode);
  const properties = isUnicode ? countProperties(pattern) : 0;
  // Compiled with the first text, because a large schema has many patterns.
  let expression: RegExp | null | undefined;
  const canRun = (length: number) =>
    expression !== null && properties <= maxProperties && tries(length) <= maxTries;
  return {
    isUnicode,
    test: (text) => {
      if (!canRun(text.length)) return undefined;
      if (expression === undefined) expression = compileNative(pattern, isUnicode);
      return runNative(expression, text);
    },
    steps: (length) => {
      if (!canRun(length)) return Number.POSITIVE_INFINITY;
      const compiling = expression === undefined ? properties * stepsPerProperty : 0;
      return compiling + tries(length) / 8;
    },
  };
}

/** With the flag `u`, or where a pattern is only valid without it, without. */
export function isPattern(pattern: string): boolean {
  return isValid(withoutProperties(pattern), "u") || isValid(pattern, "");
}

function isValid(pattern: string, flags: string): boolean {
  try {
    new RegExp(pattern, flags);
    return true;
  } catch {
    return false;
  }
}

const escapes = /\\(?:[pP]\{[\w=]{1,80}\}|[\s\S])/g;

/** Each takes the engine as long as a thousand letters, and is valid where any class is. */
function withoutProperties(pattern: string): string {
  return pattern.replace(escapes, (escaped) => (escaped.length > 2 ? "\\w" : escaped));
}

function countProperties(pattern: string): number {
  return pattern.match(/\\[pP]\{/g)?.length ?? 0;
}

/** Null where the engine has no such class of Unicode. */
function compileNative(pattern: string, isUnicode: boolean): RegExp | null {
  try {
    return new RegExp(pattern, isUnicode ? "u" : "");
  } catch {
    return null;
  }
}

/** A pattern can be too large, which the engine says only here. */
function runNative(expression: RegExp | null, text: string): boolean | undefined {
  try {
    return expression?.test(text);
  } catch {
    return undefined;
  }
}

type Tries = (length: number) => number;
const endless: Tries = () => Number.POSITIVE_INFINITY;
/** An escape, a class, the beginning of a group, a quantifier, or one character. */
const token =
  /\\(?:[1-9k]|[\s\S])|\[(?:\\[\s\S]|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<\w+>))?|\{\d+(?:,\d*)?\}|[\s\S]/gy;
/** With `u`, braces after some letters are no quantifier. */
const escapeInBraces = /\\(?:u\{[\dA-Fa-f]+\}|\\)/g;
/** A counted repetition above it counts as one without end. */
const maxCountedSpan = 50;

/** How often going back can start again, for a text of some length: at most the product of all choices. */
function countTries(pattern: string, isUnicode: boolean): Tries {
  let choices = 1;
  let loops = 0;
  let fixed = pattern.length;
  const alternatives = [1];
  let isGroup = false;
  const counted = isUnicode ? pattern.replace(escapeInBraces, "\\\\") : pattern;
  for (const [part] of counted.matchAll(token)) {
    const isAfterGroup = isGroup;
    isGroup = part === ")";
    if (/^\\[1-9k]$/.test(part)) return endless;
    if (part.startsWith("(")) alternatives.push(1);
    else if (part === "|") alternatives.push((alternatives.pop() ?? 1) + 1);
    else if (part === ")") choices *= alternatives.pop() ?? 1;
    else if (part === "?") choices *= 2;
    else if (part === "*" || part === "+" || /^\{\d/.test(part)) {
      if (isAfterGroup) return endless;
      const isExact = /^\{\d+\}$/.test(part);
      const [min = 0, max = isExact ? min : undefined] = (part.match(/\d+/g) ?? []).map(Number);
      fixed += min;
      if (max === undefined || max - min > maxCountedSpan) loops += 1;
      else choices *= max - min + 1;
    }
  }
  const top = alternatives[0] ?? 1;
  const degree = pattern.startsWith("^") && top === 1 ? loops : loops + 1;
  return (length) => choices * top * fixed * (length + 1) ** degree;
}
