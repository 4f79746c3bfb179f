import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { costText } from "../../../../src/lib/text/wording.ts";
import { agentOutcomes } from "../../../../src/model/agent/agent-run.ts";
import type { AgentOutcome } from "../../../../src/model/agent/run-schema.ts";
import { type RunSummary, runsQuery } from "../../api/queries.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Select } from "../../parts/field.tsx";
import { Bot } from "../../parts/icons.ts";
import { Empty, QueryView } from "../../parts/states.tsx";
import { renderCount, renderDuration, Time } from "../../parts/time.tsx";
import { NewerButton } from "./newer-button.tsx";
import { RunningRuns } from "./story/running-runs.tsx";
import { useLongList } from "./use-long-list.ts";

const route = getRouteApi("/calls");

const tones: Record<AgentOutcome, Tone> = {
  completed: "good",
  "max-iterations": "warn",
  budget: "warn",
  failed: "bad",
  cancelled: "neutral",
};

export function OutcomeBadge({ outcome }: { outcome: AgentOutcome }) {
  return (
    <Badge dot tone={tones[outcome]}>
      {outcome}
    </Badge>
  );
}

const columns: readonly Column<RunSummary>[] = [
  { title: "When", width: "80px", render: ({ at }) => <Time at={at} /> },
  {
    title: "Question",
    width: "minmax(150px, 3fr)",
    render: ({ id, question }) => (
      <Link
        to="/runs/$id"
        params={{ id }}
        className="font-medium hover:underline max-md:line-clamp-2 max-md:whitespace-normal max-md:leading-tight"
      >
        {question}
      </Link>
    ),
  },
  { title: "Outcome", width: "120px", render: ({ outcome }) => <OutcomeBadge outcome={outcome} /> },
  {
    title: "Asked by",
    width: "minmax(70px, 1fr)",
    wide: true,
    render: ({ user }) => user ?? "anonymous",
  },
  { title: "Model", width: "minmax(80px, 1fr)", wide: true, render: ({ model }) => model },
  {
    title: "Calls",
    width: "50px",
    align: "right",
    wide: true,
    render: ({ counters }) => counters.totalToolCalls,
  },
  {
    title: "Tokens",
    width: "70px",
    align: "right",
    wide: true,
    render: ({ usage }) => renderCount(usage.totalTokens),
  },
  {
    title: "Cost",
    width: "110px",
    align: "right",
    wide: true,
    render: ({ usage }) =>
      usage.cost ? costText(usage.cost) : <span className="text-muted">no price</span>,
  },
  {
    title: "Took",
    width: "80px",
    align: "right",
    wide: true,
    render: ({ durationMs }) => renderDuration(durationMs),
  },
];

export function RunsTable() {
  const navigate = useNavigate();
  const { outcome } = route.useSearch();
  const { list: runs, newer, showNewest } = useLongList(runsQuery(outcome), "agent.run");
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Select
          aria-label="Outcome"
          className="w-48!"
          value={outcome ?? ""}
          onChange={({ target }) =>
            void navigate({
              to: "/calls",
              search: {
                view: "runs",
                ...(target.value !== "" && { outcome: target.value as AgentOutcome }),
              },
              replace: true,
            })
          }
          options={[{ value: "", text: "Any outcome" }, ...agentOutcomes]}
        />
        <NewerButton count={newer} onClick={showNewest} />
      </div>
      <RunningRuns />
      <QueryView query={runs}>
        {({ pages }) => (
          <DataTable
            label="Agent runs"
            columns={columns}
            rows={pages.flatMap((page) => page.runs)}
            keyOf={({ id }) => id}
            onOpen={({ id }) => void navigate({ to: "/runs/$id", params: { id } })}
            hasMore={runs.hasNextPage && !runs.isFetchingNextPage}
            isLoadingMore={runs.isFetchingNextPage}
            onMore={runs.fetchNextPage}
            empty={<NoRuns isFiltered={outcome !== undefined} />}
          />
        )}
      </QueryView>
    </>
  );
}

function NoRuns({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty icon={Bot} title="No run ended like that" />;
  return (
    <Empty
      icon={Bot}
      title="No agent has run yet"
      action={
        <Link to="/chat" className="text-sm font-medium text-accent hover:underline">
          Ask a model
        </Link>
      }
    >
      What agents do, in the chat, in a terminal or in a program, is listed here.
    </Empty>
  );
}
