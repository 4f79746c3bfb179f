import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type CallSummary, filteredSummaryQuery } from "../../api/history-queries.ts";
import type { CallFilter } from "../../api/queries.ts";
import { classes } from "../../parts/class-names.ts";
import { Meter } from "../../parts/sparkline.tsx";
import { QueryView } from "../../parts/states.tsx";
import { counted, renderCount, renderDuration, Time } from "../../parts/time.tsx";
import { useCallSearch } from "./call-filters.tsx";

const maxRows = 5;

/** What took the time of the calls that are shown, with a way to each. */
export function StandOuts({ filter }: { filter: CallFilter & { since: string } }) {
  return (
    <section
      aria-label="What stands out"
      className="shrink-0 overflow-auto rounded-lg border border-line bg-surface p-4 "
    >
      <QueryView query={useQuery(filteredSummaryQuery(filter))}>
        {(summary) => <SummaryView summary={summary} />}
      </QueryView>
    </section>
  );
}

function SummaryView({ summary }: { summary: CallSummary }) {
  const { change } = useCallSearch();
  const { calls, isWhole, p50Ms, p95Ms, tools, servers, slowest } = summary;
  if (calls === 0) return <p className="text-sm text-muted">No calls in this time.</p>;
  const errors = tools.reduce((sum, row) => sum + row.errors, 0);
  return (
    <div className="flex flex-col gap-3">
      <p className="flex flex-wrap gap-x-5 text-sm">
        <span>
          <b>{counted(calls, "call")}</b>
          {!isWhole && " (the newest)"}
        </span>
        <span className={errors > 0 ? "text-bad" : ""}>{counted(errors, "error")}</span>
        <span>
          half within <b>{renderDuration(p50Ms)}</b>, 95 % within <b>{renderDuration(p95Ms)}</b>
        </span>
      </p>
      <div className="grid gap-x-8 gap-y-3 md:grid-cols-3">
        <Ranking title="Slowest tools" rows={tools} onChoose={(tool) => change({ tool }, false)} />
        <Ranking
          wide
          title="Slowest servers"
          rows={servers}
          onChoose={(server) => change({ server }, false)}
        />
        <Column title="Slowest calls" wide>
          {slowest.slice(0, maxRows).map(({ id, at: calledAt, tool, durationMs }) => (
            <li key={id} className="grid grid-cols-[minmax(0,1fr)_auto_64px] gap-3">
              <Link
                to="/calls/$id"
                params={{ id }}
                className="truncate font-mono text-xs leading-5 text-accent hover:underline"
              >
                {tool}
              </Link>
              <span className="text-muted">
                <Time at={calledAt} />
              </span>
              <span className="text-right tabular-nums">{renderDuration(durationMs)}</span>
            </li>
          ))}
        </Column>
      </div>
    </div>
  );
}

type RankingProps = {
  title: string;
  wide?: boolean;
  rows: CallSummary["tools"];
  onChoose: (name: string) => void;
};

/** By the duration that one in twenty calls exceeds. */
function Ranking({ title, wide = false, rows, onChoose }: RankingProps) {
  const shownRows = rows.toSorted((a, b) => b.p95Ms - a.p95Ms).slice(0, maxRows);
  const longestMs = Math.max(...shownRows.map(({ p95Ms }) => p95Ms), 1);
  return (
    <Column title={title} wide={wide}>
      {shownRows.map(({ name, calls, p95Ms }) => (
        <li
          key={name}
          className="grid grid-cols-[minmax(0,1fr)_60px_64px] items-center gap-3 max-md:nth-[n+4]:hidden"
        >
          <button
            type="button"
            onClick={() => onChoose(name)}
            title={`Only calls of ${name}`}
            className="truncate text-left font-mono text-xs leading-5 text-accent hover:underline"
          >
            {name}
          </button>
          <Meter value={p95Ms / longestMs} label={`p95 ${renderDuration(p95Ms)}`} />
          <span
            className="whitespace-nowrap text-right tabular-nums"
            title={`${renderCount(calls)} calls`}
          >
            {renderDuration(p95Ms)}
          </span>
        </li>
      ))}
    </Column>
  );
}

/** `wide`: a phone has room for one of them. */
function Column({
  title,
  wide = false,
  children,
}: {
  title: string;
  wide?: boolean;
  children: ReactNode;
}) {
  return (
    <div className={classes("min-w-0", wide && "max-md:hidden")}>
      <h2 className="mb-1 text-xs font-medium text-muted">{title}</h2>
      <ul className="flex flex-col gap-1 text-sm">{children}</ul>
    </div>
  );
}
