/**
 * The lines of a text that comes in parts, read no faster than somebody takes them. Only `\n` ends a line, with or
 * without `\r` before it: `node:readline` also splits at characters that JSON leaves as they are.
 */
export async function* linesOf(parts: AsyncIterable<string>): AsyncGenerator<string> {
  let begun: string[] = [];
  for await (const part of parts) {
    const [first = "", ...others] = part.split("\n");
    begun.push(first);
    for (const next of others) {
      yield withoutReturn(begun.join(""));
      begun = [next];
    }
  }
  const rest = begun.join("");
  if (rest !== "") yield withoutReturn(rest);
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
