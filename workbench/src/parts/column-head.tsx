import { classes } from "./class-names.ts";
import type { Column } from "./table-model.ts";

/** The grid of a row. */
export const rowGrid =
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
  const direction = directionOf(name, sort);
  return (
    <div role="columnheader" aria-sort={direction} className={look}>
      <button
        type="button"
        className={classes("hover:text-ink", direction !== "none" && "text-ink")}
        onClick={() => onSort(nextSort(name, sort, isLargestFirst))}
      >
        {title}
        {arrows[direction]}
      </button>
    </div>
  );
}

const arrows = { ascending: " ↑", descending: " ↓", none: "" } as const;

function directionOf(name: string, sort: string | undefined): keyof typeof arrows {
  if (sort === name) return "ascending";
  return sort === `-${name}` ? "descending" : "none";
}

function nextSort(
  name: string,
  sort: string | undefined,
  isLargestFirst: boolean,
): string | undefined {
  const directions = isLargestFirst ? [`-${name}`, name] : [name, `-${name}`];
  if (sort === undefined || !directions.includes(sort)) return directions[0];
  return directions[directions.indexOf(sort) + 1];
}
