/** A pattern that a stranger wrote for JavaScript. */
export type SafePattern = {
  /** Undefined where it might take too long. */
  test(text: string): boolean | undefined;
  /** How many steps a text of this length takes at most, about; endless where it might take too long. */
  steps(length: number): number;
};

/** What the engine that goes back may take for one text: a few milliseconds. */
const maxTries = 500_000;

/** Undefined if it is no pattern. JavaScript's engine is asked only where it provably ends soon. */
export function createSafePattern(pattern: string): SafePattern | undefined {
  const expression = compileNative(pattern);
  if (expression === undefined) return undefined;
  const tries = countTries(pattern);
  return {
    test: (text) => (tries(text.length) <= maxTries ? expression.test(text) : undefined),
    steps: (length) => (tries(length) <= maxTries ? tries(length) / 8 : Number.POSITIVE_INFINITY),
  };
}

function compileNative(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern);
  } catch {
    return undefined;
  }
}

type Tries = (length: number) => number;
const endless: Tries = () => Number.POSITIVE_INFINITY;
/** An escape, a class, the beginning of a group, a quantifier, or one character. */
const token =
  /\\(?:[1-9k]|[\s\S])|\[(?:\\[\s\S]|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<\w+>))?|\{\d+(?:,\d*)?\}|[\s\S]/gy;
/** A counted repetition above it counts as one without end. */
const fewTimes = 50;

/** How often going back can start again, for a text of some length: at most the product of all choices. */
function countTries(pattern: string): Tries {
  let choices = 1;
  let loops = 0;
  let fixed = pattern.length;
  const alternatives = [1];
  let isGroup = false;
  for (const [part] of pattern.matchAll(token)) {
    const wasGroup = isGroup;
    isGroup = part === ")";
    if (/^\\[1-9k]$/.test(part)) return endless;
    if (part.startsWith("(")) alternatives.push(1);
    else if (part === "|") alternatives.push((alternatives.pop() ?? 1) + 1);
    else if (part === ")") choices *= alternatives.pop() ?? 1;
    else if (part === "?") choices *= 2;
    else if (part === "*" || part === "+" || /^\{\d/.test(part)) {
      if (wasGroup) return endless;
      const isExact = /^\{\d+\}$/.test(part);
      const [least = 0, most = isExact ? least : undefined] = (part.match(/\d+/g) ?? []).map(
        Number,
      );
      fixed += least;
      if (most === undefined || most - least > fewTimes) loops += 1;
      else choices *= most - least + 1;
    }
  }
  const top = alternatives[0] ?? 1;
  const degree = pattern.startsWith("^") && top === 1 ? loops : loops + 1;
  return (length) => choices * top * fixed * (length + 1) ** degree;
}
