/** Characters that are compiled to find it: a few milliseconds for most programs, some tenths of a second at most. */
const maxCompiled = 1_000_000;
/** At the beginning of a line without indentation: the last statement begins here and has no value. */
const statement =
  /^(?:return|const|let|var|for|while|do|if|else|switch|try|catch|throw|function|async\s+function|class|import|export)\b/;
const declaration = /^(?:async\s+function|function|class)\b/;
/** What may go on with the line before, where that has no semicolon. */
const goesOn = /^[([`+\-/]/;

/**
 * Models end a program with an expression and mean its value, or with a call of their own `main`: it is returned, as at a prompt.
 * Only the engine says what an expression is, and whether whole statements stand before it.
 */
export function withLastValue(source: string, compile: (text: string) => boolean): string {
  let left = maxCompiled;
  const compiles = (text: string) => {
    left -= text.length;
    return compile(text);
  };
  const whole = withoutEnd(source);
  for (const at of beginnings(whole).reverse()) {
    const last = whole.slice(at);
    if (left < whole.length) return source;
    if (statement.test(last) && (at === 0 || whole[at - 1] === "\n")) return source;
    if (declaration.test(last) || !compiles(`(async () => (${last}\n))`)) continue;
    const before = whole.slice(0, at);
    if (!compiles(`(async () => {${before}})`)) continue;
    if (goesOn.test(last) && compiles(`(async () => {${before}\n.x})`)) continue;
    return `${before}return (${last}\n)`;
  }
  return source;
}

/** Comments, and the semicolon. */
function withoutEnd(source: string): string {
  const lines = source.split("\n");
  while (lines.length > 0 && /^(?:$|\/\/|\/\*.*\*\/$)/.test(lines.at(-1)?.trim() ?? ""))
    lines.pop();
  const text = lines.join("\n").trimEnd();
  const semicolon = text.lastIndexOf(";");
  return /^(?:$| *\/\/.*$)/.test(text.slice(semicolon + 1))
    ? text.slice(0, Math.max(semicolon, 0))
    : text;
}

/** Where something stands first in a line or behind semicolons. */
function beginnings(text: string): number[] {
  const ends = [...text.matchAll(/(?:^|[\n;])[\s;]*/g)].map(
    ({ index, 0: blank }) => index + blank.length,
  );
  return ends.filter((at) => at < text.length);
}
