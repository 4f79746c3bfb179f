/** `*` is any run of characters, `?` is one. At most pattern × text steps. */
export function matchesGlob(pattern: string, text: string): boolean {
  let at = 0;
  let position = 0;
  let star = -1;
  let resume = 0;
  while (position < text.length) {
    if (pattern[at] === "*") {
      star = at++;
      resume = position;
    } else if (at < pattern.length && (pattern[at] === "?" || pattern[at] === text[position])) {
      at++;
      position++;
    } else if (star >= 0) {
      at = star + 1;
      position = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}

/** For frequent use: most texts differ at their beginning. */
export function compileGlob(pattern: string): (text: string) => boolean {
  const wild = pattern.search(/[*?]/);
  if (wild < 0) return (text) => text === pattern;
  const beginning = pattern.slice(0, wild);
  const rest = pattern.slice(wild);
  if (rest === "*" || rest === "**") return (text) => text.startsWith(beginning);
  return (text) => text.startsWith(beginning) && matchesGlob(rest, text.slice(wild));
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
