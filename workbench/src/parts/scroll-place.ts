import { type RefObject, useLayoutEffect, useRef } from "react";

/** Where each table stood, by entry of the history: "back" finds it there again. */
const scrollTops = new Map<string, number>();
const entryKey = (label: string) =>
  `${label} ${(history.state as { __TSR_key?: string } | null)?.__TSR_key ?? ""}`;

/** Call what it returns whenever the table is scrolled. */
export function useScrollPlace(
  scroller: RefObject<HTMLDivElement | null>,
  label: string,
  hasRows: boolean,
) {
  const isDone = useRef(false);
  useLayoutEffect(() => {
    if (!hasRows || isDone.current) return;
    isDone.current = true;
    const scrollTop = scrollTops.get(entryKey(label));
    if (scrollTop !== undefined && scroller.current !== null)
      scroller.current.scrollTop = scrollTop;
  }, [hasRows, label, scroller]);
  return () => void scrollTops.set(entryKey(label), scroller.current?.scrollTop ?? 0);
}
