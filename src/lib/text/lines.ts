/** Only `\n` or `\r\n` ends a line; `node:readline` also splits at characters that JSON leaves alone. */
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

/** More are not worth a merge. */
const maxComparisons = 4_000_000;

/** A three-way merge. Null where both sides changed the same lines. */
export function mergeLines(base: string, mine: string, theirs: string): string | null {
  const from = splitLines(base);
  const a = splitLines(mine);
  const b = splitLines(theirs);
  const inA = matches(from, a);
  const inB = matches(from, b);
  if (inA === null || inB === null) return null;
  const merged: string[] = [];
  let atBase = 0;
  let atA = 0;
  let atB = 0;
  for (let next = 0; next <= from.length; next++) {
    const [toA, toB] = next === from.length ? [a.length, b.length] : [inA[next], inB[next]];
    if (toA === undefined || toB === undefined || toA === -1 || toB === -1) continue;
    const chunk = choose(from.slice(atBase, next), a.slice(atA, toA), b.slice(atB, toB));
    if (chunk === null) return null;
    merged.push(...chunk, ...from.slice(next, next + 1));
    [atBase, atA, atB] = [next + 1, toA + 1, toB + 1];
  }
  return merged.join("");
}

function choose(base: string[], a: string[], b: string[]): string[] | null {
  const isSame = (one: string[], other: string[]) => one.join("") === other.join("");
  if (isSame(a, base) || isSame(a, b)) return b;
  return isSame(b, base) ? a : null;
}

function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** For each base line its place in the other text, -1 where it is gone. */
function matches(base: readonly string[], other: readonly string[]): number[] | null {
  const found = base.map(() => -1);
  let start = 0;
  while (start < base.length && start < other.length && base[start] === other[start])
    found[start] = start++;
  let endBase = base.length;
  let endOther = other.length;
  while (endBase > start && endOther > start && base[endBase - 1] === other[endOther - 1])
    found[--endBase] = --endOther;
  const rows = endBase - start;
  const columns = endOther - start;
  if (rows * columns > maxComparisons) return null;
  const lengths = Array.from({ length: rows + 1 }, () => new Uint32Array(columns + 1));
  const at = (row: number, column: number) => lengths[row]?.[column] ?? 0;
  const isMatch = (row: number, column: number) => base[start + row] === other[start + column];
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      const length = isMatch(row, column)
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
      (lengths[row] as Uint32Array)[column] = length;
    }
  }
  for (let [row, column] = [0, 0]; row < rows && column < columns; ) {
    if (isMatch(row, column)) found[start + row++] = start + column++;
    else if (at(row + 1, column) >= at(row, column + 1)) row++;
    else column++;
  }
  return found;
}
