import { setImmediate as nextTurn } from "node:timers/promises";

const around = 2;
/** So many lines are searched before others get their turn. */
const atATime = 5_000;

/** The places of the lines in which the pattern is found, in a time that grows with the text alone. */
export async function findLines(lines: readonly string[], pattern: string): Promise<number[]> {
  const { createPatternSet } = await import("../../lib/linear-pattern.ts");
  const matches = createPatternSet([pattern]);
  const found: number[] = [];
  for (const [at, line] of lines.entries()) {
    if (at % atATime === atATime - 1) await nextTurn();
    if (matches(line).length > 0) found.push(at);
  }
  return found;
}

/** These lines and those around them, numbered from 1; `:` marks what was found, `-` what is around it. */
export function renderFound(lines: readonly string[], found: readonly number[]): string[] {
  const hits = new Set(found);
  const shown: string[] = [];
  let last = -1;
  for (const at of found) {
    const from = Math.max(at - around, last + 1);
    if (from > last + 1 && last >= 0) shown.push("--");
    // What comes right after is around the next one, unless it was found itself.
    for (let place = from; place <= Math.min(at + around, lines.length - 1); place += 1)
      shown.push(`${place + 1}${hits.has(place) ? ":" : "-"} ${lines[place]}`);
    last = Math.max(last, Math.min(at + around, lines.length - 1));
  }
  return shown;
}
