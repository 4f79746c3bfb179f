import { type ReactNode, useEffect, useRef, useState } from "react";
import { classes } from "./class-names.ts";
import { renderCount } from "./time.tsx";

type GrowingListProps<Item> = {
  items: readonly Item[];
  keyOf: (item: Item) => string;
  children: (item: Item, index: number) => ReactNode;
  /** The id of an item's element. */
  idOf?: (item: Item) => string;
  /** The total, if only a part is loaded. */
  total?: number;
  /** Loads more. */
  onMore?: () => void;
  atOnce?: number;
  className?: string;
};

/** A guess at their height would move what is below, so the items of the first screen are drawn with it. */
const drawnAtOnce = 20;
const drawnWhenVisible = "[contain-intrinsic-block-size:auto_200px] [content-visibility:auto]";

/**
 * A list of items of any height. It starts with `atOnce` items, adds more when its end is visible and skips drawing
 * off-screen ones. Items stay mounted, so that typed input survives.
 */
export function GrowingList<Item>(props: GrowingListProps<Item>) {
  const {
    items,
    keyOf,
    children,
    idOf,
    total = items.length,
    onMore,
    atOnce = 20,
    className,
  } = props;
  const [limit, setLimit] = useState(atOnce);
  const end = useRef<HTMLButtonElement>(null);
  const remaining = total - limit;
  const grow = useRef<() => void>(() => undefined);
  grow.current = () => {
    if (limit < items.length) setLimit(limit + atOnce);
    if (limit + atOnce >= items.length && items.length < total) onMore?.();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: an end that stays visible is checked again when items are added
  useEffect(() => {
    const element = end.current;
    if (element === null || remaining <= 0) return;
    const observer = new IntersectionObserver((intersections) => {
      if (intersections.some(({ isIntersecting }) => isIntersecting)) grow.current();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [remaining, items.length]);
  return (
    <>
      <ol className={classes("flex min-w-0 flex-col", className)}>
        {items.slice(0, limit).map((item, index) => (
          <li
            key={keyOf(item)}
            id={idOf?.(item)}
            className={classes("min-w-0", index >= drawnAtOnce && drawnWhenVisible)}
          >
            {children(item, index)}
          </li>
        ))}
      </ol>
      {remaining > 0 && (
        <button
          ref={end}
          type="button"
          className="self-center py-2 text-sm text-accent hover:underline"
          onClick={() => grow.current()}
        >
          {renderCount(remaining)} more
        </button>
      )}
    </>
  );
}
