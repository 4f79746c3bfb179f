import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button } from "./button.tsx";
import { ArrowDownToLine } from "./icons.ts";
import { counted } from "./time.tsx";

type FollowedListProps = {
  label: string;
  /** The number of the last one; it counts up. */
  last: number;
  count: number;
  /** One of them. */
  what: string;
  className: string;
  children: ReactNode;
};

/** Follows the end until the user scrolls up. */
export function FollowedList({ label, last, count, what, className, children }: FollowedListProps) {
  const list = useRef<HTMLDivElement>(null);
  const [stoppedAt, setStoppedAt] = useState<number | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: moves when there are others
  useEffect(() => {
    if (list.current && stoppedAt === null) list.current.scrollTop = list.current.scrollHeight;
  }, [last, count, stoppedAt]);
  return (
    <div className="relative">
      <div
        ref={list}
        role="log"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable
        tabIndex={0}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          const isAtEnd = scrollHeight - scrollTop - clientHeight < 24;
          setStoppedAt((before) => (isAtEnd ? null : (before ?? last)));
        }}
        className={`max-h-96 overflow-auto focus-visible:-outline-offset-2 ${className}`}
      >
        {children}
      </div>
      {stoppedAt !== null && (
        <Button
          icon={ArrowDownToLine}
          className="absolute bottom-3 right-5 shadow-lg"
          onClick={() => setStoppedAt(null)}
        >
          Follow{last > stoppedAt && ` (${counted(last - stoppedAt, `new ${what}`)})`}
        </Button>
      )}
    </div>
  );
}
