export type DiffLine = { key: string; sign: "−" | "+" | " "; text: string };

/** Above this, the middle is shown as removed and added whole. */
const maxCells = 250_000;

/** The lines of both texts, in order: unchanged, removed, added. An empty text has no lines. */
export function diffLines(before: string, after: string): DiffLine[] {
  const oldLines = linesOf(before);
  const newLines = linesOf(after);
  const commonStart = countCommonStart(oldLines, newLines);
  const commonEnd = countCommonStart(
    oldLines.slice(commonStart).reverse(),
    newLines.slice(commonStart).reverse(),
  );
  const lines: Omit<DiffLine, "key">[] = [
    ...oldLines.slice(0, commonStart).map(unchanged),
    ...diffMiddle(
      oldLines.slice(commonStart, oldLines.length - commonEnd),
      newLines.slice(commonStart, newLines.length - commonEnd),
    ),
    ...oldLines.slice(oldLines.length - commonEnd).map(unchanged),
  ];
  return lines.map((line, index) => ({ ...line, key: `${index}` }));
}

const linesOf = (text: string) => (text === "" ? [] : text.split("\n"));
const unchanged = (text: string) => ({ sign: " " as const, text });
const removed = (text: string) => ({ sign: "−" as const, text });
const added = (text: string) => ({ sign: "+" as const, text });

function countCommonStart(oldLines: readonly string[], newLines: readonly string[]): number {
  const firstDifference = oldLines.findIndex(
    (line, index) => index >= newLines.length || line !== newLines[index],
  );
  return firstDifference < 0 ? oldLines.length : firstDifference;
}

/** The longest common subsequence. */
function diffMiddle(
  oldLines: readonly string[],
  newLines: readonly string[],
): Omit<DiffLine, "key">[] {
  if (oldLines.length * newLines.length > maxCells)
    return [...oldLines.map(removed), ...newLines.map(added)];
  const width = newLines.length + 1;
  const common = new Uint32Array((oldLines.length + 1) * width);
  const commonLength = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = oldLines.length - 1; i >= 0; i -= 1)
    for (let j = newLines.length - 1; j >= 0; j -= 1)
      common[i * width + j] =
        oldLines[i] === newLines[j]
          ? commonLength(i + 1, j + 1) + 1
          : Math.max(commonLength(i + 1, j), commonLength(i, j + 1));
  const lines: Omit<DiffLine, "key">[] = [];
  let i = 0;
  let j = 0;
  while (i < oldLines.length || j < newLines.length) {
    if (i < oldLines.length && j < newLines.length && oldLines[i] === newLines[j]) {
      lines.push(unchanged(oldLines[i] as string));
      i += 1;
      j += 1;
    } else if (
      j >= newLines.length ||
      (i < oldLines.length && commonLength(i + 1, j) >= commonLength(i, j + 1))
    ) {
      lines.push(removed(oldLines[i] as string));
      i += 1;
    } else {
      lines.push(added(newLines[j] as string));
      j += 1;
    }
  }
  return lines;
}
