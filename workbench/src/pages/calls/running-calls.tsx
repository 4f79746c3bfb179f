import { useQuery } from "@tanstack/react-query";
import { runningQuery } from "../../api/history-queries.ts";
import { LoaderCircle } from "../../parts/icons.ts";
import { counted, Time } from "../../parts/time.tsx";

const maxRows = 5;

/** What has not ended stands before what has. */
export function RunningCalls() {
  const running = useQuery(runningQuery()).data?.calls ?? [];
  if (running.length === 0) return null;
  return (
    <section
      aria-label="Running now"
      className="shrink-0 rounded-lg border border-accent/50 bg-accent-soft px-4 py-2"
    >
      <ul className="flex flex-col gap-1 text-sm">
        {running.slice(0, maxRows).map(({ id, at: startedAt, tool, user }) => (
          <li
            key={id}
            className="grid grid-cols-[16px_minmax(0,2fr)_minmax(0,1fr)_auto] items-center gap-2"
          >
            <LoaderCircle aria-hidden className="size-3.5 animate-spin text-accent" />
            <span className="truncate font-mono text-xs font-medium">{tool}</span>
            <span className="truncate text-muted">{user ?? "anonymous"}</span>
            <span className="text-muted">
              runs since <Time at={startedAt} />
            </span>
          </li>
        ))}
      </ul>
      {running.length > maxRows && (
        <p className="mt-1 text-xs text-muted">
          and {counted(running.length - maxRows, "other call")}
        </p>
      )}
    </section>
  );
}
