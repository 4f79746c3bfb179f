import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { runningRunsQuery } from "../../../api/history-queries.ts";
import { LoaderCircle } from "../../../parts/icons.ts";
import { counted, Time } from "../../../parts/time.tsx";
import { StopRun } from "./stop-run.tsx";

const maxRows = 5;

/** Agents that are at work stand before those that are done. */
export function RunningRuns() {
  const running = useQuery(runningRunsQuery()).data?.runs ?? [];
  if (running.length === 0) return null;
  return (
    <section
      aria-label="Agents at work"
      className="shrink-0 rounded-lg border border-accent/50 bg-accent-soft px-4 py-2"
    >
      <ul className="flex flex-col gap-1 text-sm">
        {running.slice(0, maxRows).map(({ id, at: startedAt, question, calls }) => {
          const open = calls.filter(({ status }) => status === null).map(({ tool }) => tool);
          return (
            <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <LoaderCircle aria-hidden className="size-3.5 shrink-0 animate-spin text-accent" />
              <Link
                to="/runs/$id"
                params={{ id }}
                dir="auto"
                title={question}
                className="min-w-0 flex-1 truncate font-medium hover:underline"
              >
                {question}
              </Link>
              <span className="min-w-0 truncate text-muted max-sm:hidden">
                {open.join(", ") || "the model"}
              </span>
              <span className="shrink-0 text-muted">
                since <Time at={startedAt} />
              </span>
              <StopRun id={id} name={`Stop ${question.slice(0, 60)}`} />
            </li>
          );
        })}
      </ul>
      {running.length > maxRows && (
        <p className="mt-1 text-xs text-muted">
          and {counted(running.length - maxRows, "other run")}
        </p>
      )}
    </section>
  );
}
