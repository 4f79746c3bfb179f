import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, type ReactNode, useCallback, useEffect, useLayoutEffect, useRef } from "react";
import { classes } from "./class-names.ts";
import { ColumnHead, line, wideOnly } from "./column-head.tsx";
import { useScrollPlace } from "./scroll-place.ts";

export type Column<Row> = {
  title: string;
  /** The name of its order; the header sorts by it. */
  sort?: string;
  /** As in `grid-template-columns`: `minmax(120px, 2fr)`, `90px`. */
  width: string;
  render: (row: Row) => ReactNode;
  /** Shown instead of the title. */
  head?: ReactNode;
  align?: "right";
  /** Hidden on narrow screens. */
  wide?: boolean;
};

type DataTableProps<Row> = {
  /** The accessible name. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Omit it where rows have no state: reusing rows by position is quicker. */
  keyOf?: (row: Row) => string;
  onOpen?: (row: Row) => void;
  /** The order in force; with `-`, the other way round. */
  sort?: string | undefined;
  onSort?: (sort: string | undefined) => void;
  isSelected?: (row: Row) => boolean;
  rowHeight?: number;
  /** Shown whole under a row on narrow screens. Rows grow with it; `rowHeight` is the least. */
  below?: (row: Row) => ReactNode;
  /** Shown instead of rows. */
  empty?: ReactNode;
  hasMore?: boolean;
  isLoadingMore?: boolean;
  /** The rows are stale. */
  isOld?: boolean;
  /** A new value scrolls to the top. */
  question?: string;
  /** Rows before the end at which more are loaded; by default a screenful. */
  moreAhead?: number;
  onMore?: () => void;
};

/** A virtual list that loads more before its end. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, keyOf, rowHeight = 40, empty, hasMore = false, onMore } = props;
  const { moreAhead = 20 } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => keyOf?.(rows[index] as Row) ?? index,
    overscan: 4,
  });
  const items = virtual.getVirtualItems();
  const remember = useScrollPlace(scroller, label, rows.length > 0);
  const answered = useRef(props.question);
  useLayoutEffect(() => {
    if (props.isOld || answered.current === props.question) return;
    answered.current = props.question;
    if ((virtual.scrollOffset ?? 0) > 0) virtual.scrollToOffset(0);
  }, [props.isOld, props.question, virtual]);
  const onOpen = useRef(props.onOpen);
  onOpen.current = props.onOpen;
  const open = useCallback((row: unknown) => onOpen.current?.(row as Row), []);
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && last >= rows.length - moreAhead) onMore?.();
  }, [hasMore, last, rows.length, moreAhead, onMore]);
  const grid = {
    "--columns": columns.map(({ width }) => width).join(" "),
    "--narrow": columns
      .filter(({ wide }) => !wide)
      // On a phone what can give way does, so that the last column is seen.
      .map(({ width }) => width.replace(/^minmax\(\d+px/, "minmax(0px"))
      .join(" "),
  } as React.CSSProperties;
  return (
    <div
      ref={scroller}
      role="table"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-busy={props.isOld ?? false}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable
      tabIndex={0}
      style={grid}
      onScroll={remember}
      className="min-h-0 shrink overflow-auto rounded-lg border border-line bg-surface text-[13px]"
    >
      <div role="rowgroup" className="sticky top-0 z-10 border-b border-line bg-surface">
        <div role="row" className={classes(line, "h-9")}>
          {columns.map((column) => (
            <ColumnHead key={column.title} column={column as Column<unknown>} sort={props.sort} onSort={props.onSort} />
          ))}
        </div>
      </div>
      {rows.length === 0 && empty}
      <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, key, start }) => (
          <TableRow
            key={key}
            columns={columns as readonly Column<unknown>[]}
            row={rows[index]}
            index={index}
            top={start}
            height={rowHeight}
            below={props.below as RowProps["below"]}
            measure={props.below ? virtual.measureElement : undefined}
            onOpen={props.onOpen ? open : undefined}
            isSelected={props.isSelected?.(rows[index] as Row)}
          />
        ))}
      </div>
      {props.isLoadingMore && (
        <p role="status" className="py-3 text-center text-xs text-muted">
          Loading more …
        </p>
      )}
    </div>
  );
}

type RowProps = {
  columns: readonly Column<unknown>[];
  row: unknown;
  index: number;
  top: number;
  height: number;
  below: ((row: unknown) => ReactNode) | undefined;
  /** Undefined if every row is as high as `height`. */
  measure: ((row: Element | null) => void) | undefined;
  onOpen: ((row: unknown) => void) | undefined;
  /** Undefined if rows cannot be selected. */
  isSelected: boolean | undefined;
};

/** Memoized: typing re-renders the list around it with every key. */
const TableRow = memo(({ columns, row, index, top, height, below, measure, onOpen, isSelected }: RowProps) => (
  // biome-ignore lint/a11y/useKeyWithClickEvents: a larger target for the link or button inside the row
  <div
    ref={measure}
    data-index={index}
    role="row"
    aria-rowindex={index + 2}
    aria-selected={isSelected}
    onClick={onOpen && ((event) => !isControl(event.target) && onOpen(row))}
    style={measure ? { minHeight: height, top } : { height, top }}
    className={classes(
      line,
      "absolute inset-x-0 border-b border-line/70",
      measure ? "py-1 contain-content" : "contain-strict",
      onOpen && "cursor-pointer hover:bg-sunken/60",
      isSelected && "bg-accent-soft hover:bg-accent-soft",
    )}
  >
    {columns.map(({ title, render, align, wide }) => (
      <div
        key={title}
        role="cell"
        className={classes("min-w-0 truncate", align && "text-right tabular-nums", wide && wideOnly)}
      >
        {render(row)}
      </div>
    ))}
    {below && (
      <div role="cell" className="col-span-full -mt-3 min-w-0 break-words text-xs empty:hidden md:hidden">
        {below(row)}
      </div>
    )}
  </div>
));

function isControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest("a, button, input, select") !== null;
}
