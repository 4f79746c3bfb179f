/** Only `\n` or `\r\n` ends a line; `node:readline` also splits at characters that JSON leaves alone. */
export async function* linesOf(parts: AsyncIterable<string>): AsyncGenerator<string> {
  let lineParts: string[] = [];
  for await (const part of parts) {
    const [first = "", ...furtherLines] = part.split("\n");
    lineParts.push(first);
    for (const next of furtherLines) {
      yield withoutReturn(lineParts.join(""));
      lineParts = [next];
    }
  }
  const lastLine = lineParts.join("");
  if (lastLine !== "") yield withoutReturn(lastLine);
}

function withoutReturn(line: string): string {
  if (line.endsWith("\r")) return line.slice(0, -1);
  return line;
}

/** More are not worth a merge. */
const maxComparisons = 4_000_000;

/** A three-way merge. Null where both sides changed the same lines. */
export function mergeLines(base: string, mine: string, theirs: string): string | null {
  const baseLines = splitLines(base);
  const mineLines = splitLines(mine);
  const theirLines = splitLines(theirs);
  const positionsInMine = matchPositions(baseLines, mineLines);
  const positionsInTheirs = matchPositions(baseLines, theirLines);
  if (positionsInMine === null || positionsInTheirs === null) return null;
  const merged: string[] = [];
  let baseIndex = 0;
  let mineIndex = 0;
  let theirIndex = 0;
  for (let next = 0; next <= baseLines.length; next++) {
    const [mineEnd, theirEnd] =
      next === baseLines.length
        ? [mineLines.length, theirLines.length]
        : [positionsInMine[next], positionsInTheirs[next]];
    if (mineEnd === undefined || theirEnd === undefined || mineEnd === -1 || theirEnd === -1)
      continue;
    const chunk = chooseSide(
      baseLines.slice(baseIndex, next),
      mineLines.slice(mineIndex, mineEnd),
      theirLines.slice(theirIndex, theirEnd),
    );
    if (chunk === null) return null;
    merged.push(...chunk, ...baseLines.slice(next, next + 1));
    [baseIndex, mineIndex, theirIndex] = [next + 1, mineEnd + 1, theirEnd + 1];
  }
  return merged.join("");
}

function chooseSide(base: string[], a: string[], b: string[]): string[] | null {
  const isEqual = (left: string[], right: string[]) => left.join("") === right.join("");
  if (isEqual(a, base) || isEqual(a, b)) return b;
  return isEqual(b, base) ? a : null;
}

function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** For each base line its place in the other text, -1 where it is gone. */
function matchPositions(base: readonly string[], changed: readonly string[]): number[] | null {
  const positions = base.map(() => -1);
  let start = 0;
  while (start < base.length && start < changed.length && base[start] === changed[start])
    positions[start] = start++;
  let endBase = base.length;
  let endOther = changed.length;
  while (endBase > start && endOther > start && base[endBase - 1] === changed[endOther - 1])
    positions[--endBase] = --endOther;
  const rows = endBase - start;
  const columns = endOther - start;
  if (rows * columns > maxComparisons) return null;
  const lengths = Array.from({ length: rows + 1 }, () => new Uint32Array(columns + 1));
  const commonLength = (row: number, column: number) => lengths[row]?.[column] ?? 0;
  const isMatch = (row: number, column: number) => base[start + row] === changed[start + column];
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      const length = isMatch(row, column)
        ? commonLength(row + 1, column + 1) + 1
        : Math.max(commonLength(row + 1, column), commonLength(row, column + 1));
      (lengths[row] as Uint32Array)[column] = length;
    }
  }
  for (let [row, column] = [0, 0]; row < rows && column < columns; ) {
    if (isMatch(row, column)) positions[start + row++] = start + column++;
    else if (commonLength(row + 1, column) >= commonLength(row, column + 1)) row++;
    else column++;
  }
  return positions;
}
