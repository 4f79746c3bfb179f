import { memo, type ReactNode } from "react";
import { classes } from "./class-names.ts";
import { rowGrid, wideOnly } from "./column-head.tsx";
import type { Column } from "./table-model.ts";

/** The row that keys elsewhere are at. */
export const activeRowId = "active-row";

export type RowProps = {
  columns: readonly Column<unknown>[];
  row: unknown;
  index: number;
  top: number;
  height: number;
  below: ((row: unknown) => ReactNode) | undefined;
  /** Undefined if every row is as high as `height`. */
  measure: ((row: Element | null) => void) | undefined;
  onOpen: ((row: unknown) => void) | undefined;
  isSelected: boolean | undefined;
  isActive: boolean;
};

/** Memoized: typing re-renders the list around it with every key. */
export const TableRow = memo(
  ({
    columns,
    row,
    index,
    top,
    height,
    below,
    measure,
    onOpen,
    isSelected,
    isActive,
  }: RowProps) => (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a larger target for the link or button inside the row
    <div
      ref={measure}
      id={isActive ? activeRowId : undefined}
      data-index={index}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      onClick={onOpen && ((event) => !isControl(event.target) && onOpen(row))}
      style={measure ? { minHeight: height, top } : { height, top }}
      className={classes(
        rowGrid,
        "absolute inset-x-0 border-b border-line/70",
        measure ? "py-1 contain-content" : "contain-strict",
        onOpen && "cursor-pointer hover:bg-sunken/60",
        (isSelected || isActive) && "bg-accent-soft hover:bg-accent-soft",
      )}
    >
      {columns.map(({ title, render, align, wide }) => (
        <div
          key={title}
          role="cell"
          className={classes(
            "min-w-0 truncate",
            align && "text-right tabular-nums",
            wide && wideOnly,
          )}
        >
          {render(row)}
        </div>
      ))}
      {below && (
        <div
          role="cell"
          className="col-span-full -mt-3 min-w-0 break-words text-xs empty:hidden md:hidden"
        >
          {below(row)}
        </div>
      )}
    </div>
  ),
);

function isControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest("a, button, input, select") !== null;
}
