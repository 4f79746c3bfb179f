import { classes } from "./class-names.ts";
import type { Column } from "./table-model.ts";

/** The grid of a row. */
export const line =
  "grid grid-cols-[var(--narrow)] md:grid-cols-[var(--columns)] items-center gap-3 px-3 md:gap-4 md:px-4";
export const wideOnly = "max-md:hidden";

type HeadProps = {
  column: Column<unknown>;
  sort: string | undefined;
  onSort: ((sort: string | undefined) => void) | undefined;
};

/** Sorts up, down, and as at first; numbers begin with the largest. */
export function ColumnHead({ column, sort, onSort }: HeadProps) {
  const { title, head, sort: name, align, wide, isLargestFirst = align === "right" } = column;
  const isUp = name !== undefined && sort === name;
  const isDown = name !== undefined && sort === `-${name}`;
  const look = classes(
    "truncate text-xs font-medium text-muted",
    align && "text-right",
    wide && wideOnly,
  );
  if (name === undefined || onSort === undefined)
    return (
      <div role="columnheader" className={look}>
        {head ?? title}
      </div>
    );
  return (
    <div
      role="columnheader"
      aria-sort={isUp ? "ascending" : isDown ? "descending" : "none"}
      className={look}
    >
      <button
        type="button"
        className={classes("hover:text-ink", (isUp || isDown) && "text-ink")}
        onClick={() => onSort(nextOf(name, sort, isLargestFirst))}
      >
        {title}
        {isUp ? " ↑" : isDown ? " ↓" : ""}
      </button>
    </div>
  );
}

function nextOf(
  name: string,
  sort: string | undefined,
  isLargestFirst: boolean,
): string | undefined {
  const turns = isLargestFirst ? [`-${name}`, name] : [name, `-${name}`];
  return sort === undefined || !turns.includes(sort) ? turns[0] : turns[turns.indexOf(sort) + 1];
}
