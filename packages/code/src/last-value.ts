/** Characters that are compiled to find it: a few milliseconds for most programs, some tenths of a second at most. */
const maxCompiled = 1_000_000;
/** At the beginning of a line without indentation: the last statement begins here and has no value. */
const statement =
  /^(?:return|const|let|var|for|while|do|if|else|switch|try|catch|throw|function|async\s+function|class|import|export)\b/;
const declaration = /^(?:async\s+function|function|class)\b/;
/** What may go on with the line before, where that has no semicolon. */
const continuesLine = /^[([`+\-/]/;

/**
 * Models end a program with an expression and mean its value, or with a call of their own `main`: it is returned, as at a prompt.
 * Only the engine says what an expression is, and whether whole statements stand before it.
 */
export function withLastValue(source: string, compile: (text: string) => boolean): string {
  let charactersLeft = maxCompiled;
  const compiles = (text: string) => {
    charactersLeft -= text.length;
    return compile(text);
  };
  const program = withoutEnd(source);
  for (const index of statementStarts(program).reverse()) {
    const lastPart = program.slice(index);
    if (charactersLeft < program.length) return source;
    if (statement.test(lastPart) && (index === 0 || program[index - 1] === "\n")) return source;
    if (declaration.test(lastPart) || !compiles(`(async () => (${lastPart}\n))`)) continue;
    const beforeLast = program.slice(0, index);
    if (!compiles(`(async () => {${beforeLast}})`)) continue;
    if (continuesLine.test(lastPart) && compiles(`(async () => {${beforeLast}\n.x})`)) continue;
    return `${beforeLast}return (${lastPart}\n)`;
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
  const isLast = /^(?:$| *\/\/.*$)/.test(text.slice(semicolon + 1));
  if (isLast) return text.slice(0, Math.max(semicolon, 0));
  return text;
}

/** Where something stands first in a line or behind semicolons. */
function statementStarts(text: string): number[] {
  const starts = [...text.matchAll(/(?:^|[\n;])[\s;]*/g)].map(
    ({ index, 0: blank }) => index + blank.length,
  );
  return starts.filter((start) => start < text.length);
}
