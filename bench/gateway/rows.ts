import { median, renderTable } from "../report.ts";

export type Spread = { median: number; min: number; max: number };

/** A limit on a ratio, or on the figure itself. */
export type Bar = { of: "ratio" | "value"; atMost?: number; atLeast?: number };

export type Measured = { through: string; isOurs: boolean; value: number; ratio?: Spread };

/** One figure under one load, of all that were measured in the same rounds. */
export type Row = {
  load: string;
  figure: string;
  unit: string;
  /** Whose figure the others are compared with. */
  against?: string;
  measured: readonly Measured[];
  bar?: Bar;
  /** Of the machine, after the measurement: on a busy one only ratios say something. */
  loadAverage?: number;
};

export const ratioAtMost = (atMost: number): Bar => ({ of: "ratio", atMost });
export const ratioAtLeast = (atLeast: number): Bar => ({ of: "ratio", atLeast });
export const valueAtMost = (atMost: number): Bar => ({ of: "value", atMost });

type Series = { kind: { name: string; isOurs?: boolean }; values: readonly number[] };

/** A ratio is taken within a round, where a slow machine slows both sides, and the median of the rounds is reported. */
export function toRow(row: Omit<Row, "measured">, all: readonly Series[]): Row {
  const base = all.find(({ kind }) => kind.name === row.against);
  const measured = all.map((series): Measured => {
    const { kind, values } = series;
    const ratios = values
      .map((value, round) => value / (base?.values[round] ?? Number.NaN))
      .filter((ratio) => Number.isFinite(ratio));
    const found = { through: kind.name, isOurs: kind.isOurs === true, value: median(values) };
    if (series === base || ratios.length === 0) return found;
    return {
      ...found,
      ratio: { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) },
    };
  });
  return { ...row, measured };
}

export function isHeld(bar: Bar, { value, ratio }: Measured): boolean {
  const found = bar.of === "value" ? value : (ratio?.median ?? Number.NaN);
  return found <= (bar.atMost ?? Number.POSITIVE_INFINITY) && found >= (bar.atLeast ?? 0);
}

export function short(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

function showBar({ of, atMost, atLeast }: Bar, unit: string): string {
  return `${atMost === undefined ? "≥" : "≤"} ${atMost ?? atLeast} ${of === "ratio" ? "×" : unit}`;
}

/** One line for each build of ours; the others stand in the last column. */
export function renderRows(rows: readonly Row[]): string {
  const lines = rows.flatMap(({ load, figure, unit, against, measured, bar, loadAverage }) => {
    const others = measured
      .filter(({ isOurs }) => !isOurs)
      .map(
        ({ through, value, ratio }) =>
          `${through} ${short(value)}${ratio ? ` (${short(ratio.median)} ×)` : ""}`,
      );
    return measured
      .filter(({ isOurs }) => isOurs)
      .map((ours) => [
        load,
        figure,
        ours.through,
        `${short(ours.value)} ${unit}`,
        ours.ratio === undefined ? "" : `${short(ours.ratio.median)} ×`,
        ours.ratio === undefined ? "" : `${short(ours.ratio.min)}–${short(ours.ratio.max)}`,
        against ?? "",
        bar === undefined ? "" : showBar(bar, unit),
        bar === undefined ? "" : isHeld(bar, ours) ? "held" : "missed",
        others.join(", "),
        loadAverage === undefined ? "" : short(loadAverage),
      ]);
  });
  const head = [
    "load",
    "figure",
    "through",
    "measured",
    "ratio",
    "range",
    "against",
    "bar",
    "",
    "others",
    "load average",
  ];
  return renderTable(head, lines);
}
