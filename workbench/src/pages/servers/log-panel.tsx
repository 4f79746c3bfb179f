import { useEffect, useRef, useState } from "react";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { classes } from "../../parts/class-names.ts";
import { CopyButton } from "../../parts/code-view.tsx";
import { Select } from "../../parts/field.tsx";
import { ArrowDownToLine } from "../../parts/icons.ts";
import { Panel } from "../../parts/page.tsx";
import { Failed, Loading } from "../../parts/states.tsx";
import { counted } from "../../parts/time.tsx";
import { isShown, type LogFilter, logFilters, toneOf } from "./log-filter.ts";
import { type LogLine, useServerLog } from "./use-server-log.ts";

const clock = new Intl.DateTimeFormat("en-GB", {
  ...{ hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 },
});
const renderLine = ({ at, source, level, text }: LogLine) => `${at} ${level ?? source} ${text}`;

/** A server's live log. */
export function LogPanel({ server }: { server: string }) {
  const log = useServerLog(server);
  const [filter, setFilter] = useState<LogFilter>("all");
  const lines = log?.lines.filter((line) => isShown(line, filter)) ?? [];
  const hasLines = log !== null && log.lines.length > 0;
  return (
    <Panel
      flush
      title={<span className="flex items-center gap-2">Log {log && <LiveBadge isLive={log.isLive} />}</span>}
      actions={
        hasLines && (
          <>
            <Select
              aria-label="Show"
              className="w-auto!"
              options={logFilters}
              value={filter}
              onChange={({ target }) => setFilter(target.value as LogFilter)}
            />
            <CopyButton text={lines.map(renderLine).join("\n")} label="Copy the lines" />
          </>
        )
      }
    >
      {log === null && <Loading what="Reading" />}
      {log !== null && !hasLines && log.error !== null && <Failed error={log.error} />}
      {log !== null && !hasLines && log.error === null && (
        <p className="p-4 text-[13px] text-muted">No output yet. Its stderr and log messages appear here live.</p>
      )}
      {hasLines && lines.length === 0 && (
        <p className="p-4 text-[13px] text-muted">
          None of {counted(log.lines.length, "line")} is one of those. What is written to standard error has no level.
        </p>
      )}
      {lines.length > 0 && <Lines label={`Log of ${server}`} lines={lines} />}
    </Panel>
  );
}

function LiveBadge({ isLive }: { isLive: boolean }) {
  return (
    <Badge dot tone={isLive ? "good" : "warn"}>
      {isLive ? "live" : "not live"}
    </Badge>
  );
}

/** Follows the end until the user scrolls up. */
function Lines({ label, lines }: { label: string; lines: readonly LogLine[] }) {
  const list = useRef<HTMLDivElement>(null);
  const [stoppedAt, setStoppedAt] = useState<number | null>(null);
  const last = lines.at(-1)?.number ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: moves when there are other lines
  useEffect(() => {
    if (list.current && stoppedAt === null) list.current.scrollTop = list.current.scrollHeight;
  }, [last, lines.length, stoppedAt]);
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
        className="max-h-96 overflow-auto px-4 py-3 font-mono text-xs leading-5 focus-visible:-outline-offset-2"
      >
        {lines.map((line) => (
          <Line key={line.number} line={line} />
        ))}
      </div>
      {stoppedAt !== null && (
        <Button
          icon={ArrowDownToLine}
          className="absolute bottom-3 right-5 shadow-lg"
          onClick={() => setStoppedAt(null)}
        >
          Follow{last > stoppedAt && ` (${counted(last - stoppedAt, "new line")})`}
        </Button>
      )}
    </div>
  );
}

function Line({ line: { at, source, level, text } }: { line: LogLine }) {
  return (
    <div className="flex gap-3 max-sm:flex-wrap max-sm:gap-x-3 max-sm:gap-y-0">
      <span className="shrink-0 tabular-nums text-muted" title={at}>
        {clock.format(new Date(at))}
      </span>
      <span className={classes("w-18 shrink-0", toneOf({ source, level }))}>{level ?? source}</span>
      <span dir="auto" className="min-w-0 whitespace-pre-wrap break-words text-left max-sm:basis-full">
        {text}
      </span>
    </div>
  );
}
