import {
  columnFilteringFeature,
  createFilteredRowModel,
  createSortedRowModel,
  globalFilteringFeature,
  type RowData,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { type ReactNode, useMemo, useState } from "react";
import { ExactNumber } from "../api/exact-json.ts";

export type Column<Row> = {
  title: string;
  /** The name of its order; the header sorts by it. */
  sort?: string;
  /** The first click shows the largest or the latest, as it does for numbers. */
  isLargestFirst?: boolean;
  /** What the table itself sorts and filters by, where the plane does not. */
  value?: (row: Row) => unknown;
  /** As in `grid-template-columns`: `minmax(120px, 2fr)`, `90px`. */
  width: string;
  render: (row: Row) => ReactNode;
  /** Shown instead of the title. */
  head?: ReactNode;
  align?: "right";
  /** Hidden on narrow screens. */
  wide?: boolean;
};

const features = tableFeatures({
  rowSortingFeature,
  columnFilteringFeature,
  globalFilteringFeature,
  sortedRowModel: createSortedRowModel(),
  filteredRowModel: createFilteredRowModel(),
});

type ModelOptions<Row> = {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** The order in force; with `-`, the other way round. Without `onSort`, the table sorts itself. */
  sort?: string | undefined;
  onSort?: ((sort: string | undefined) => void) | undefined;
  /** Words that a row has to have in one of its values. */
  filterText?: string;
};

export type TableModel<Row> = {
  rows: Row[];
  sort: string | undefined;
  /** Undefined where nothing can be sorted. */
  onSort: ((sort: string | undefined) => void) | undefined;
};

/** The rows in their order, those that are asked for. */
export function useTableModel<Row>({
  columns,
  rows,
  sort,
  onSort,
  filterText = "",
}: ModelOptions<Row>): TableModel<Row> {
  const [ownSort, setOwnSort] = useState<string | undefined>(undefined);
  const sortsItself = onSort === undefined;
  const order = sortsItself ? ownSort : sort;
  const definitions = useMemo(
    () =>
      columns.map((column) => ({
        id: column.sort ?? column.title,
        accessorFn: (row: RowData) => column.value?.(row as Row),
        sortFn: (a: ValuedRow, b: ValuedRow, id: string) => compare(a.getValue(id), b.getValue(id)),
        sortUndefined: "last" as const,
        filterFn: includesText,
      })),
    [columns],
  );
  const sorting: SortingState = useMemo(() => {
    if (order === undefined || !sortsItself) return [];
    return [{ id: order.replace(/^-/, ""), desc: order.startsWith("-") }];
  }, [order, sortsItself]);
  const globalFilter = filterText.trim().toLowerCase();
  // A hundred thousand rows that stay as they are cost nothing.
  const isNeeded = sorting.length > 0 || globalFilter !== "";
  const table = useTable({
    features,
    columns: definitions,
    data: isNeeded ? (rows as readonly RowData[]) : noRows,
    manualSorting: !sortsItself,
    manualFiltering: globalFilter === "",
    enableSortingRemoval: true,
    globalFilterFn: includesText,
    getColumnCanGlobalFilter: () => true,
    state: {
      sorting,
      globalFilter: globalFilter || undefined,
      columnFilters: [],
    },
  });
  const modelRows = table.getRowModel().rows;
  const shownRows = useMemo(
    () => (isNeeded ? modelRows.map(({ original }) => original as Row) : (rows as Row[])),
    [modelRows, isNeeded, rows],
  );
  const canSort =
    !sortsItself ||
    columns.some(({ value, sort: name }) => value !== undefined && name !== undefined);
  return { rows: shownRows, sort: order, onSort: canSort ? (onSort ?? setOwnSort) : undefined };
}

const noRows: readonly RowData[] = [];

type ValuedRow = { getValue: (id: string) => unknown };

const includesText = (row: ValuedRow, id: string, lowerCaseText: string) =>
  textOf(row.getValue(id)).toLowerCase().includes(lowerCaseText);

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** Numbers by size, everything else as a person would file it. */
function compare(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return collator.compare(textOf(a), textOf(b));
}

/** A value in one line. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (value instanceof ExactNumber || typeof value !== "object") return String(value);
  return JSON.stringify(value);
}
