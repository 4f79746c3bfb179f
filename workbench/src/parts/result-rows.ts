import { isObject, type UnknownObject } from "../../../src/model/json.ts";
import { ExactNumber } from "../api/exact-json.ts";
import { textOf } from "./table-model.ts";

/** Rows with the names of their columns, and what stood beside the list. */
export type ResultRows = {
  rows: readonly UnknownObject[];
  names: string[];
  siblings: UnknownObject | null;
};

/** Rows that are looked at for the names of columns. */
const sampledRows = 200;
const maxColumns = 40;
/** A row that has fewer of the columns than this is another kind of thing. */
const minFilled = 0.4;

const isRow = (value: unknown): value is UnknownObject =>
  isObject(value) && !(value instanceof ExactNumber);

/** The list of alike things that a value is, or that is the only list in it; null where a table would show less than a tree. */
export function rowsIn(value: unknown): ResultRows | null {
  if (Array.isArray(value)) return asRows(value, null);
  if (!isRow(value)) return null;
  const lists = Object.entries(value).filter(
    ([, inner]) => Array.isArray(inner) && inner.length > 0,
  );
  const [onlyList] = lists;
  if (lists.length !== 1 || onlyList === undefined) return null;
  const { [onlyList[0]]: _, ...siblings } = value;
  if (Object.values(siblings).some((inner) => isRow(inner) && Object.keys(inner).length > 0))
    return null;
  return asRows(onlyList[1] as unknown[], Object.keys(siblings).length === 0 ? null : siblings);
}

function asRows(list: readonly unknown[], siblings: UnknownObject | null): ResultRows | null {
  const sample = list.slice(0, sampledRows);
  if (list.length < 2 || !sample.every(isRow) || !list.every(isRow)) return null;
  const names = [...new Set(sample.flatMap((row) => Object.keys(row)))];
  if (names.length === 0 || names.length > maxColumns) return null;
  const filledShare =
    sample.reduce((sum, row) => sum + Object.keys(row).length, 0) / (sample.length * names.length);
  if (filledShare < minFilled) return null;
  return { rows: list as UnknownObject[], names, siblings };
}

/** As spreadsheets read it. A cell that they would take for a formula begins with a quote. */
export function renderCsv(rows: readonly UnknownObject[], names: readonly string[]): string {
  const cell = (text: string) => {
    const plain = /^[=+\-@\t\r]/.test(text) && !/^-?[\d.]+$/.test(text) ? `'${text}` : text;
    return /[",\n\r]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
  };
  const line = (cells: readonly string[]) => cells.map(cell).join(",");
  return [line(names), ...rows.map((row) => line(names.map((name) => textOf(row[name]))))].join(
    "\r\n",
  );
}

/** As a table of Markdown. */
export function renderMarkdownTable(
  rows: readonly UnknownObject[],
  names: readonly string[],
): string {
  const cell = (text: string) =>
    text
      .replaceAll("\\", "\\\\")
      .replaceAll("|", "\\|")
      .replaceAll(/(?<!\s)\s*\n\s*/g, " ");
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  const rule = `| ${names.map(() => "---").join(" | ")} |`;
  return [
    line(names),
    rule,
    ...rows.map((row) => line(names.map((name) => textOf(row[name])))),
  ].join("\n");
}
