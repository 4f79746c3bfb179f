import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { serverLogsQuery } from "../../api/queries.ts";
import { classes } from "../../parts/class-names.ts";
import { Panel } from "../../parts/page.tsx";
import { QueryView } from "../../parts/states.tsx";

/** Standard error says nothing when it grows, so it is looked at while somebody looks. */
const everyMs = 2_000;
const serious = ["error", "critical", "alert", "emergency"];

const clock = new Intl.DateTimeFormat("en-GB", {
  ...{ hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 },
});

/** What a server wrote or logged, as it does. */
export function LogPanel({ server }: { server: string }) {
  const logs = useQuery({ ...serverLogsQuery(server), refetchInterval: everyMs });
  const end = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const count = logs.data?.lines.length ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: moves when there are new lines
  useEffect(() => {
    const list = end.current;
    if (list && isAtEnd.current) list.scrollTop = list.scrollHeight;
  }, [count]);
  return (
    <Panel flush title="Log">
      <QueryView query={logs}>
        {({ lines }) =>
          lines.length === 0 ? (
            <p className="p-4 text-[13px] text-muted">It has said nothing.</p>
          ) : (
            <div
              ref={end}
              role="log"
              aria-label={`Log of ${server}`}
              // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable
              tabIndex={0}
              onScroll={({ currentTarget: list }) => {
                isAtEnd.current = list.scrollHeight - list.scrollTop - list.clientHeight < 24;
              }}
              className="max-h-80 overflow-auto px-4 py-3 font-mono text-xs leading-5"
            >
              {lines.map(({ at, source, level, text }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be the same
                <div key={index} className="flex gap-3">
                  <span className="shrink-0 text-muted">{clock.format(new Date(at))}</span>
                  <span
                    className={classes(
                      "w-14 shrink-0",
                      serious.includes(level ?? "") ? "text-bad" : "text-muted",
                    )}
                  >
                    {level ?? source}
                  </span>
                  <span className="min-w-0 whitespace-pre-wrap break-words">{text}</span>
                </div>
              ))}
            </div>
          )
        }
      </QueryView>
    </Panel>
  );
}
