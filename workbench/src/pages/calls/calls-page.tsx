import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { withoutUndefined } from "../../../../src/lib/json/plain-data.ts";
import { runningQuery } from "../../api/history-queries.ts";
import { type CallAnswer, callsQuery } from "../../api/queries.ts";
import { Badge, CallState, faceText } from "../../parts/badge.tsx";
import { classes } from "../../parts/class-names.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { LoaderCircle } from "../../parts/icons.ts";
import { LongName } from "../../parts/long-name.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { counted, renderDuration, Time } from "../../parts/time.tsx";
import { CallChips, CallFilters, useCallSearch } from "./call-filters.tsx";
import { noteOf } from "./call-note.ts";
import { timesIn } from "./call-times.ts";
import { Conversations } from "./conversations.tsx";
import { ExportCalls } from "./export-calls.tsx";
import { NewerButton } from "./newer-button.tsx";
import { RunsTable } from "./runs-table.tsx";
import { SavedViews } from "./saved-views.tsx";
import { StandOuts } from "./stand-outs.tsx";
import { RunningRuns } from "./story/running-runs.tsx";
import { useLongList } from "./use-long-list.ts";

const route = getRouteApi("/calls");

const columns: readonly Column<CallAnswer>[] = [
  { title: "When", width: "68px", render: ({ at }) => <Time at={at} /> },
  {
    title: "Tool",
    width: "minmax(130px, 2fr)",
    render: ({ id, tool }) => (
      <Link
        to="/calls/$id"
        params={{ id }}
        className="font-mono text-xs font-medium hover:underline"
      >
        <LongName name={tool} />
      </Link>
    ),
  },
  { title: "Status", width: "112px", render: (call) => <CallState call={call} /> },
  {
    title: "Took",
    width: "68px",
    align: "right",
    wide: true,
    // What waits has not begun.
    render: ({ durationMs, status }) => (status === "waiting" ? "–" : renderDuration(durationMs)),
  },
  {
    title: "Caller",
    width: "minmax(70px, 1fr)",
    wide: true,
    render: ({ principal }) => principal.user ?? "anonymous",
  },
  {
    title: "Face",
    width: "80px",
    wide: true,
    render: ({ face }) => <Badge>{faceText(face)}</Badge>,
  },
  {
    title: "Tries",
    width: "40px",
    align: "right",
    wide: true,
    render: ({ attempts }) => attempts.length,
  },
  {
    title: "Note",
    width: "minmax(90px, 1.5fr)",
    wide: true,
    render: (call) => (
      <span
        title={call.error?.message}
        className={call.error && call.status !== "waiting" ? "text-bad" : "text-muted"}
      >
        {noteOf(call)}
      </span>
    ),
  },
];

const views = [
  { view: undefined, title: "Calls" },
  { view: "conversations", title: "By conversation" },
  { view: "runs", title: "Agent runs" },
] as const;

export function CallsPage() {
  const { view } = route.useSearch();
  return (
    <Page
      fill
      title="Calls"
      actions={
        <nav aria-label="What to list" className="flex rounded-md border border-line p-0.5">
          {views.map((link) => (
            <Link
              key={link.title}
              to="/calls"
              search={withoutUndefined({ view: link.view })}
              aria-current={view === link.view ? "page" : undefined}
              className={classes(
                "rounded px-2.5 py-1 text-sm font-medium",
                view === link.view ? "bg-accent-soft text-accent" : "text-muted hover:text-ink",
              )}
            >
              {link.title}
            </Link>
          ))}
        </nav>
      }
    >
      {view === "runs" && <RunsTable />}
      {view === "conversations" && <Conversations />}
      {view !== "runs" && view !== "conversations" && <CallsTable />}
    </Page>
  );
}

function CallsTable() {
  const { search } = useCallSearch();
  const { view: _, outcome: __, range: ___, ...plainFilter } = search;
  const navigate = useNavigate();
  // A span moves on when it is chosen again, not under the reader.
  const [now, setNow] = useState(Date.now);
  // biome-ignore lint/correctness/useExhaustiveDependencies: chosen again
  useEffect(() => setNow(Date.now()), [search.range]);
  const filter = { ...plainFilter, ...timesIn(search, now) };
  const { since } = filter;
  const { list: calls, newer, showNewest } = useLongList(callsQuery(filter), "tool.result");
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <CallFilters />
        <NewerButton count={newer} onClick={showNewest} />
        <CallChips />
        <span className="ml-auto flex flex-wrap items-center gap-2">
          <SavedViews />
          <ExportCalls filter={filter} />
        </span>
      </div>
      <RunningRuns />
      <RunningCalls />
      {since !== undefined && <StandOuts filter={{ ...filter, since }} />}
      <QueryView query={calls}>
        {({ pages }) => (
          <DataTable
            label="Calls"
            columns={columns}
            rows={pages.flatMap((page) => page.calls)}
            keyOf={({ id }) => id}
            onOpen={({ id }) => void navigate({ to: "/calls/$id", params: { id } })}
            hasMore={calls.hasNextPage && !calls.isFetchingNextPage}
            isLoadingMore={calls.isFetchingNextPage}
            onMore={calls.fetchNextPage}
            empty={
              <Empty title={isFiltered ? "No calls match" : "No calls yet"}>
                {isFiltered
                  ? "Remove a filter to see more."
                  : "Every call is recorded here, refused ones too."}
              </Empty>
            }
          />
        )}
      </QueryView>
    </>
  );
}

const maxRows = 5;

/** What has not ended stands before what has. */
function RunningCalls() {
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
