/** `*` is any run of characters, `?` is one. At most pattern × text steps. */
export function matchesGlob(pattern: string, text: string): boolean {
  let patternIndex = 0;
  let textIndex = 0;
  let star = -1;
  let resume = 0;
  while (textIndex < text.length) {
    if (pattern[patternIndex] === "*") {
      star = patternIndex++;
      resume = textIndex;
    } else if (
      patternIndex < pattern.length &&
      (pattern[patternIndex] === "?" || pattern[patternIndex] === text[textIndex])
    ) {
      patternIndex++;
      textIndex++;
    } else if (star >= 0) {
      patternIndex = star + 1;
      textIndex = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[patternIndex] === "*") patternIndex++;
  return patternIndex === pattern.length;
}

/** For frequent use: most texts differ at their beginning. */
export function compileGlob(pattern: string): (text: string) => boolean {
  const firstWildcard = pattern.search(/[*?]/);
  if (firstWildcard < 0) return (text) => text === pattern;
  const beginning = pattern.slice(0, firstWildcard);
  const wildPart = pattern.slice(firstWildcard);
  if (wildPart === "*" || wildPart === "**") return (text) => text.startsWith(beginning);
  return (text) => text.startsWith(beginning) && matchesGlob(wildPart, text.slice(firstWildcard));
}

/** Null allows all, an empty list none; deny wins. */
export function passesFilter(
  name: string,
  allow: readonly string[] | null,
  deny: readonly string[] | null,
): boolean {
  if (deny?.some((pattern) => matchesGlob(pattern, name))) return false;
  return allow === null || allow.some((pattern) => matchesGlob(pattern, name));
}
