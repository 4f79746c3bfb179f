import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useDeferredValue, useEffect, useState } from "react";
import { type CallAnswer, callsQuery } from "../../api/queries.ts";
import { useMay } from "../../app/session.ts";
import { Badge, CallState, callStatusText } from "../../parts/badge.tsx";
import { classes } from "../../parts/class-names.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Select, TextInput } from "../../parts/field.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { renderDuration, Time } from "../../parts/time.tsx";
import { Conversations } from "./conversations.tsx";
import { ExportCalls } from "./export-calls.tsx";
import { NewerButton } from "./newer-button.tsx";
import { RunsTable } from "./runs-table.tsx";
import { useLongList } from "./use-long-list.ts";

const route = getRouteApi("/calls");

const statuses = ["succeeded", "tool_error", "failed", "refused", "waiting", "cancelled", "dry_run"];

const columns: readonly Column<CallAnswer>[] = [
  { title: "When", width: "68px", render: ({ at }) => <Time at={at} /> },
  {
    title: "Tool",
    width: "minmax(130px, 2fr)",
    render: ({ id, tool }) => (
      <Link to="/calls/$id" params={{ id }} className="font-medium hover:underline">
        {tool}
      </Link>
    ),
  },
  { title: "Status", width: "112px", render: (call) => <CallState call={call} /> },
  {
    title: "Took",
    width: "68px",
    align: "right",
    wide: true,
    render: ({ durationMs }) => renderDuration(durationMs),
  },
  {
    title: "Caller",
    width: "minmax(70px, 1fr)",
    wide: true,
    render: ({ principal }) => principal.user ?? "anonymous",
  },
  { title: "Face", width: "80px", wide: true, render: ({ face }) => <Badge>{face}</Badge> },
  { title: "Tries", width: "40px", align: "right", wide: true, render: ({ attempts }) => attempts.length },
  {
    title: "Note",
    width: "minmax(90px, 1.5fr)",
    wide: true,
    render: ({ error, approval, status }) =>
      error ? (
        <span title={error.message} className={status === "waiting" ? "text-muted" : "text-bad"}>
          {error.code}
        </span>
      ) : approval?.verdict === "ask" ? (
        "approved by a person"
      ) : null,
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
      title="Calls and traces"
      actions={
        <nav aria-label="What to list" className="flex rounded-md border border-line p-0.5">
          {views.map((one) => (
            <Link
              key={one.title}
              to="/calls"
              search={one.view === undefined ? {} : { view: one.view }}
              aria-current={view === one.view ? "page" : undefined}
              className={classes(
                "rounded px-2.5 py-1 text-[13px] font-medium",
                view === one.view ? "bg-accent-soft text-accent" : "text-muted hover:text-ink",
              )}
            >
              {one.title}
            </Link>
          ))}
        </nav>
      }
    >
      {view === "runs" ? <RunsTable /> : view === "conversations" ? <Conversations /> : <CallsTable />}
    </Page>
  );
}

function CallsTable() {
  const { tool, status, user, run, conversation } = route.useSearch();
  const navigate = useNavigate();
  const filter = {
    ...(tool === undefined ? {} : { tool }),
    ...(status === undefined ? {} : { status }),
    ...(user === undefined ? {} : { user }),
    ...(run === undefined ? {} : { run }),
    ...(conversation === undefined ? {} : { conversation }),
  };
  const { list: calls, newer, showNewest } = useLongList(callsQuery(filter), "tool.result");
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Filters />
        {(run ?? conversation) !== undefined && (
          <Link to="/calls" className="text-[13px] text-accent hover:underline">
            Calls of one {run === undefined ? "conversation" : "run"}: show all
          </Link>
        )}
        <NewerButton count={newer} onClick={showNewest} />
        <span className="ml-auto">
          <ExportCalls filter={filter} />
        </span>
      </div>
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
                {isFiltered ? "Remove a filter to see more." : "Every call is recorded here, refused ones too."}
              </Empty>
            }
          />
        )}
      </QueryView>
    </>
  );
}

/** In the address, so that the view can be shared. */
function Filters() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const mayManage = useMay("admin");
  const set = (name: "tool" | "status" | "user", value: string) => {
    const { [name]: _, ...rest } = search;
    void navigate({ to: "/calls", search: value === "" ? rest : { ...rest, [name]: value }, replace: true });
  };
  return (
    <>
      <TextFilter label="Tool" value={search.tool ?? ""} onChange={(value) => set("tool", value)} />
      <Select
        aria-label="Status"
        className="w-40! max-md:grow"
        value={search.status ?? ""}
        onChange={(event) => set("status", event.target.value)}
        options={[
          { value: "", text: "Any status" },
          ...statuses.map((value) => ({ value, text: callStatusText(value) })),
        ]}
      />
      {mayManage && <TextFilter label="Caller" value={search.user ?? ""} onChange={(value) => set("user", value)} />}
    </>
  );
}

function TextFilter({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  const [text, setText] = useState(value);
  const settled = useDeferredValue(text);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed changes the address
  useEffect(() => {
    if (settled !== value) onChange(settled);
  }, [settled]);
  return (
    <TextInput
      aria-label={label}
      placeholder={label === "Tool" ? "Full name of a tool" : label}
      className="w-56! max-md:w-32! max-md:grow"
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
}
