export type Line = { key: string; sign: "−" | "+" | " "; text: string };

/** Above this, the middle is shown as removed and added whole. */
const maxCells = 250_000;

/** The lines of both texts, in order: unchanged, removed, added. An empty text has no lines. */
export function diffLines(before: string, after: string): Line[] {
  const old = linesOf(before);
  const now = linesOf(after);
  const start = countSame(old, now);
  const end = countSame(old.slice(start).reverse(), now.slice(start).reverse());
  const lines: Omit<Line, "key">[] = [
    ...old.slice(0, start).map(unchanged),
    ...diffMiddle(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...old.slice(old.length - end).map(unchanged),
  ];
  return lines.map((line, at) => ({ ...line, key: `${at}` }));
}

const linesOf = (text: string) => (text === "" ? [] : text.split("\n"));
const unchanged = (text: string) => ({ sign: " " as const, text });
const removed = (text: string) => ({ sign: "−" as const, text });
const added = (text: string) => ({ sign: "+" as const, text });

function countSame(old: readonly string[], now: readonly string[]): number {
  const at = old.findIndex((line, index) => index >= now.length || line !== now[index]);
  return at < 0 ? old.length : at;
}

/** The longest common subsequence. */
function diffMiddle(old: readonly string[], now: readonly string[]): Omit<Line, "key">[] {
  if (old.length * now.length > maxCells) return [...old.map(removed), ...now.map(added)];
  const width = now.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      common[i * width + j] =
        old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: Omit<Line, "key">[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push(unchanged(old[i] as string));
      i += 1;
      j += 1;
    } else if (j >= now.length || (i < old.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push(removed(old[i] as string));
      i += 1;
    } else {
      lines.push(added(now[j] as string));
      j += 1;
    }
  }
  return lines;
}
