import type { QuickJSContext } from "quickjs-emscripten-core";

/** Places that are tried, from the end. */
const maxTries = 60;
/** Without indentation at the beginning of a line: the last statement begins here and has no value. */
const statement =
  /^(?:return|const|let|var|for|while|do|if|else|switch|try|catch|throw|function|async\s+function|class|import|export)\b/;
const declaration = /^(?:async\s+function|function|class)\b/;
/** What may go on with the line before, where that has no semicolon. */
const goesOn = /^[([`+\-/]/;

/**
 * Models end a program with an expression and mean its value, or with a call of their own `main`: it is returned, as at a prompt.
 * Only the engine says what an expression is, and whether whole statements stand before it.
 */
export function withLastValue(context: QuickJSContext, source: string): string {
  const compiles = (text: string) => {
    const compiled = context.evalCode(text, "program.ts", { strict: true, compileOnly: true });
    compiled.dispose();
    return compiled.error === undefined;
  };
  const whole = withoutEnd(source);
  let tries = 0;
  for (const at of beginnings(whole)) {
    const last = whole.slice(at);
    if (statement.test(last) && (at === 0 || whole[at - 1] === "\n")) return source;
    const start = last.trimStart();
    if (start === "" || declaration.test(start)) continue;
    tries += 1;
    if (tries > maxTries) return source;
    if (!compiles(`(async () => (${last}\n))`)) continue;
    const before = whole.slice(0, at);
    if (!compiles(`(async () => {${before}})`)) continue;
    if (goesOn.test(start) && compiles(`(async () => {${before}\n.x})`)) continue;
    return `${before}return (${last}\n)`;
  }
  return source;
}

/** Comments, and the semicolon. */
function withoutEnd(source: string): string {
  const lines = source.split("\n");
  while (lines.length > 0 && /^(?:$|\/\/|\/\*.*\*\/$)/.test(lines.at(-1)?.trim() ?? "")) lines.pop();
  const text = lines.join("\n").trimEnd();
  const semicolon = text.lastIndexOf(";");
  return /^(?:$| *\/\/.*$)/.test(text.slice(semicolon + 1)) ? text.slice(0, Math.max(semicolon, 0)) : text;
}

/** Of lines, and behind semicolons; the last one first. */
function beginnings(text: string): number[] {
  return [0, ...[...text.matchAll(/[\n;]/g)].map(({ index }) => index + 1)].reverse();
}
