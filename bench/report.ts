/** What every benchmark needs to tell its result: medians, a table, and how far it is. */

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** One line on a terminal that is written over again; nothing anywhere else. */
export function showProgress(done: number, all: number, what: string): void {
  if (!process.stderr.isTTY) return;
  const width = 30;
  const filled = Math.min(width, Math.round((done / all) * width));
  const end = done >= all ? "\r\u001b[K" : "";
  process.stderr.write(
    `\r${"█".repeat(filled)}${"░".repeat(width - filled)} ${done} of ${all} ${what}${end}`,
  );
}

export type Bar = { name: string; value: number; limit: number; unit: string };

export const isMissed = ({ value, limit }: Bar): boolean => !(value <= limit);

export function renderBars(bars: readonly Bar[]): string {
  const show = (value: number, unit: string) => `${Number(value.toFixed(2))} ${unit}`.trim();
  const rows = bars.map((bar) => [
    bar.name,
    show(bar.value, bar.unit),
    `≤ ${show(bar.limit, bar.unit)}`,
    isMissed(bar) ? "missed" : "held",
  ]);
  return renderTable(["bar", "measured", "allowed", ""], rows);
}
