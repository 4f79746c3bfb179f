import { type ReactNode, useEffect, useRef, useState } from "react";
import { classes } from "./class-names.ts";
import { renderCount } from "./time.tsx";

type GrowingListProps<Item> = {
  items: readonly Item[];
  keyOf: (item: Item) => string;
  children: (item: Item, index: number) => ReactNode;
  /** Something to find an item by from outside. */
  idOf?: (item: Item) => string;
  atOnce?: number;
  className?: string;
};

/**
 * A list of things of any height: so many are there at first, more when its end comes into sight, and what is out of
 * sight is not drawn. None is ever taken away, so that what was typed into one stays.
 */
export function GrowingList<Item>(props: GrowingListProps<Item>) {
  const { items, keyOf, children, idOf, atOnce = 20, className } = props;
  const [limit, setLimit] = useState(atOnce);
  const end = useRef<HTMLButtonElement>(null);
  const left = items.length - limit;
  useEffect(() => {
    const element = end.current;
    if (element === null || left <= 0) return;
    const watch = new IntersectionObserver((seen) => {
      if (seen.some(({ isIntersecting }) => isIntersecting)) setLimit((before) => before + atOnce);
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, [left, atOnce]);
  return (
    <>
      <ol className={classes("flex min-w-0 flex-col", className)}>
        {items.slice(0, limit).map((item, index) => (
          <li
            key={keyOf(item)}
            id={idOf?.(item)}
            className="min-w-0 [contain-intrinsic-block-size:auto_200px] [content-visibility:auto]"
          >
            {children(item, index)}
          </li>
        ))}
      </ol>
      {left > 0 && (
        <button
          ref={end}
          type="button"
          className="self-center py-2 text-[13px] text-accent hover:underline"
          onClick={() => setLimit(limit + atOnce)}
        >
          {renderCount(left)} more
        </button>
      )}
    </>
  );
}
