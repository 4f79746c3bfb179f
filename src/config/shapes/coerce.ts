const booleanSpellings = new Map<string, boolean>([
  ...["1", "true", "yes", "on"].map((word) => [word, true] as const),
  ...["0", "false", "no", "off"].map((word) => [word, false] as const),
]);

/** `yes`, `on`, `1` and their opposites; anything else is left for the validation to judge. */
export function toBoolean(value: unknown): unknown {
  if (value === 1 || value === 0) return value === 1;
  if (typeof value === "string") return booleanSpellings.get(value.trim().toLowerCase()) ?? value;
  return value;
}

export function toNumber(value: unknown): unknown {
  if (typeof value !== "string" || value.trim() === "") return value;
  const number = Number(value);
  return Number.isFinite(number) ? number : value;
}

/** Whole milliseconds; undefined where the seconds are no number that makes sense. */
export function secondsToMs(value: unknown): number | undefined {
  const seconds = toNumber(value);
  if (typeof seconds !== "number" || !Number.isFinite(seconds) || seconds < 0) return undefined;
  return Math.round(seconds * 1000);
}

export function splitCommas(value: unknown): unknown {
  if (typeof value !== "string") return value;
  return Array.from(value.split(","), (part) => part.trim()).filter((part) => part !== "");
}

export function splitSpaces(value: unknown): unknown {
  if (typeof value === "string") return value.split(/\s+/).filter((part) => part !== "");
  return value;
}

const shellWord = /\s+|\\([\s\S])|'([^']*)'?|"((?:[^"\\]|\\[\s\S])*)"?|([^\s\\'"]+|\\)/g;

/** The words of a command line as a POSIX shell reads quotes and backslashes; nothing is expanded. */
export function splitShellWords(line: string): string[] {
  const shellWords: string[] = [];
  let currentWord: string | undefined;
  for (const [piece, escaped, single, double, bare] of line.matchAll(shellWord)) {
    const part = escaped ?? single ?? double?.replaceAll(/\\([\\"$`])/g, "$1") ?? bare;
    if (part !== undefined) currentWord = (currentWord ?? "") + part;
    else if (/^\s/.test(piece) && currentWord !== undefined) {
      shellWords.push(currentWord);
      currentWord = undefined;
    }
  }
  if (currentWord === undefined) return shellWords;
  return [...shellWords, currentWord];
}
