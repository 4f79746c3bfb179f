import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef } from "react";
import { classes } from "./class-names.ts";
import { ColumnHead, rowGrid } from "./column-head.tsx";
import { useScrollPlace } from "./scroll-place.ts";
import { type Column, useTableModel } from "./table-model.ts";
import { type RowProps, TableRow } from "./table-row.tsx";

export type { Column } from "./table-model.ts";

type DataTableProps<Row> = {
  /** The accessible name. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Omit it where rows have no state: reusing rows by position is quicker. */
  keyOf?: (row: Row) => string;
  onOpen?: (row: Row) => void;
  /** The order in force; with `-`, the other way round. Without `onSort`, the table sorts by the values of its columns. */
  sort?: string | undefined;
  onSort?: (sort: string | undefined) => void;
  /** Words that a row has to have in one of the values of its columns. */
  filterText?: string;
  isSelected?: (row: Row) => boolean;
  /** The row that keys elsewhere are at; its element has an id. */
  active?: number | null;
  rowHeight?: number;
  /** Shown whole under a row on narrow screens. Rows grow with it; `rowHeight` is the least. */
  below?: (row: Row) => ReactNode;
  /** Shown instead of rows. */
  empty?: ReactNode;
  hasMore?: boolean;
  isLoadingMore?: boolean;
  /** The rows are stale. */
  isOld?: boolean;
  /** Columns keep their least width; where there is no room for all, the table scrolls sideways. */
  isWide?: boolean;
  /** A new value scrolls to the top. */
  question?: string;
  /** Rows before the end at which more are loaded; by default a screenful. */
  moreAhead?: number;
  onMore?: () => void;
};

const headHeight = 36;
/** An answer that comes quickly does not blink. */
const staleClass = "opacity-50 transition-opacity delay-150";

/** A virtual list that loads more before its end. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const {
    label,
    columns,
    keyOf,
    rowHeight = 44,
    empty,
    hasMore = false,
    moreAhead = 20,
    onMore,
  } = props;
  const { rows, sort, onSort } = useTableModel(props);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => keyOf?.(rows[index] as Row) ?? index,
    overscan: 4,
    // The head lies above the rows, and so the last of them are below the window.
    scrollPaddingEnd: headHeight,
  });
  const virtualRows = virtual.getVirtualItems();
  const rememberScroll = useScrollPlace(scroller, label, rows.length > 0);
  const answeredQuestion = useRef(props.question);
  useLayoutEffect(() => {
    if (props.isOld || answeredQuestion.current === props.question) return;
    answeredQuestion.current = props.question;
    if ((virtual.scrollOffset ?? 0) > 0) virtual.scrollToOffset(0);
  }, [props.isOld, props.question, virtual]);
  const { active = null } = props;
  useLayoutEffect(() => {
    if (active !== null) virtual.scrollToIndex(active);
  }, [active, virtual]);
  const onOpen = useRef(props.onOpen);
  onOpen.current = props.onOpen;
  const openRow = useCallback((row: unknown) => onOpen.current?.(row as Row), []);
  const lastIndex = virtualRows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && lastIndex >= rows.length - moreAhead) onMore?.();
  }, [hasMore, lastIndex, rows.length, moreAhead, onMore]);
  const columnWidths = {
    "--columns": columns.map(({ width }) => width).join(" "),
    "--narrow": columns
      .filter(({ wide }) => !wide)
      // On a phone what can give way does, so that the last column is seen.
      .map(({ width }) => (props.isWide ? width : width.replace(/^minmax\(\d+px/, "minmax(0px")))
      .join(" "),
  } as React.CSSProperties;
  const widthStyle = props.isWide ? { minWidth: minTableWidth(columns) } : {};
  return (
    <div
      ref={scroller}
      role="table"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-busy={props.isOld ?? false}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable
      tabIndex={0}
      style={columnWidths}
      onScroll={rememberScroll}
      className="min-h-0 shrink overflow-auto rounded-lg border border-line bg-surface text-sm shadow-raised"
    >
      <div
        role="rowgroup"
        style={widthStyle}
        className="sticky top-0 z-10 border-b border-line bg-surface"
      >
        <div role="row" className={classes(rowGrid, "h-9")}>
          {columns.map((column) => (
            <ColumnHead
              key={column.title}
              column={column as Column<unknown>}
              sort={sort}
              onSort={onSort}
            />
          ))}
        </div>
      </div>
      {rows.length === 0 && empty}
      <div
        role="rowgroup"
        className={classes("relative", props.isOld && staleClass)}
        style={{ ...widthStyle, height: virtual.getTotalSize() }}
      >
        {virtualRows.map(({ index, key, start }) => (
          <TableRow
            key={key}
            columns={columns as readonly Column<unknown>[]}
            row={rows[index]}
            index={index}
            top={start}
            height={rowHeight}
            below={props.below as RowProps["below"]}
            measure={props.below ? virtual.measureElement : undefined}
            onOpen={props.onOpen ? openRow : undefined}
            isSelected={props.isSelected?.(rows[index] as Row)}
            isActive={index === active}
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

const gap = 16;

/** The least that all columns need beside each other. */
function minTableWidth(columns: readonly { width: string }[]): number {
  return columns.reduce(
    (sum, { width }) => sum + gap + Number(/(?<!\d)(\d+)px/.exec(width)?.[1] ?? 0),
    gap,
  );
}
