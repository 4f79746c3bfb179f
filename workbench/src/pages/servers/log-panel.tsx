import { useDeferredValue, useState } from "react";
import type { LogLevel } from "../../../../src/model/servers/server.ts";
import type { ServerLogLine } from "../../../../src/model/servers/server-schema.ts";
import { Badge } from "../../parts/badge.tsx";
import { classes } from "../../parts/class-names.ts";
import { CopyButton } from "../../parts/code-view.tsx";
import { Select } from "../../parts/field.tsx";
import { FollowedList } from "../../parts/followed-list.tsx";
import { Panel } from "../../parts/page.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { Failed, Loading } from "../../parts/states.tsx";
import { counted, renderMoment } from "../../parts/time.tsx";
import { type LogLine, useServerLog } from "./use-server-log.ts";

const renderLine = ({ at: loggedAt, source, level, text }: LogLine) =>
  `${loggedAt} ${level ?? source} ${text}`;

const matchesQuery = (line: LogLine, query: string) =>
  query === "" || renderLine(line).toLowerCase().includes(query);

/** A server's live log. */
export function LogPanel({ server }: { server: string }) {
  const log = useServerLog(server);
  const [filter, setFilter] = useState<LogFilter>("all");
  const [query, setQuery] = useState("");
  const deferredQuery = useDeferredValue(query).toLowerCase();
  const lines =
    log?.lines.filter((line) => isShown(line, filter) && matchesQuery(line, deferredQuery)) ?? [];
  const hasLines = log !== null && log.lines.length > 0;
  return (
    <Panel
      flush
      title={
        <span className="flex items-center gap-2">
          Log {log && <LiveBadge isLive={log.isLive} />}
        </span>
      }
      actions={
        hasLines && (
          <>
            <SearchBox
              label="Search the log"
              value={query}
              onChange={setQuery}
              matchCount={lines.length}
              totalCount={log.lines.length}
            />
            <Select
              aria-label="Show"
              className="w-auto!"
              options={logFilters}
              value={filter}
              onChange={({ target }) => setFilter(target.value as LogFilter)}
            />
            <CopyButton text={() => lines.map(renderLine).join("\n")} label="Copy the lines" />
          </>
        )
      }
    >
      {log === null && <Loading what="Reading" />}
      {log !== null && !hasLines && log.error !== null && <Failed error={log.error} />}
      {log !== null && !hasLines && log.error === null && (
        <p className="p-4 text-sm text-muted">
          No output yet. Its standard error, log messages and notifications appear here live.
        </p>
      )}
      {hasLines && lines.length === 0 && (
        <p className="p-4 text-sm text-muted">
          None of {counted(log.lines.length, "line")} is one of those.
          {deferredQuery === "" && " What is written to standard error has no level."}
        </p>
      )}
      {lines.length > 0 && (
        <FollowedList
          label={`Log of ${server}`}
          last={lines.at(-1)?.number ?? 0}
          count={lines.length}
          what="line"
          className="px-4 py-3 font-mono text-xs leading-5"
        >
          {lines.map((line) => (
            <Line key={line.number} line={line} />
          ))}
        </FollowedList>
      )}
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

function Line({ line: { at: loggedAt, source, level, text } }: { line: LogLine }) {
  return (
    <div className="flex gap-3 max-sm:flex-wrap max-sm:gap-x-3 max-sm:gap-y-0">
      <span className="shrink-0 tabular-nums text-muted" title={loggedAt}>
        {renderMoment(loggedAt)}
      </span>
      <span className={classes("w-18 shrink-0", toneOf({ source, level }))}>{level ?? source}</span>
      <span
        dir="auto"
        className="min-w-0 whitespace-pre-wrap break-words text-left max-sm:basis-full"
      >
        {text}
      </span>
    </div>
  );
}

const logFilters = [
  { value: "all", text: "Everything" },
  { value: "info", text: "Info and above" },
  { value: "warning", text: "Warnings and above" },
  { value: "error", text: "Errors" },
  { value: "stderr", text: "Standard error" },
  { value: "notification", text: "Notifications" },
] as const;

type LogFilter = (typeof logFilters)[number]["value"];

/** By severity. Repeated here because the model's file imports a library. */
const ranks: Record<LogLevel, number> = {
  debug: 0,
  info: 1,
  notice: 2,
  warning: 3,
  error: 4,
  critical: 5,
  alert: 6,
  emergency: 7,
};
const rankOf = (level: string) => ranks[level as LogLevel] ?? ranks.info;

/** Lines on stderr have no level. */
function isShown(
  { source, level }: Pick<ServerLogLine, "source" | "level">,
  filter: LogFilter,
): boolean {
  if (filter === "all") return true;
  if (filter === "stderr" || filter === "notification") return source === filter;
  return level !== undefined && rankOf(level) >= rankOf(filter);
}

function toneOf({ source, level }: { source: string; level: string | undefined }): string {
  if (level === undefined) return source === "noise" ? "text-warn" : "text-muted";
  if (rankOf(level) >= ranks.error) return "text-bad";
  return rankOf(level) >= ranks.warning ? "text-warn" : "text-muted";
}
