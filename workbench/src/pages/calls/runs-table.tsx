import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Bot } from "lucide-react";
import type { AgentOutcome } from "../../../../src/model/agent-run.ts";
import type { RunSummary } from "../../../../src/model/run-verbs.ts";
import { runsQuery } from "../../api/queries.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { renderCount, renderDuration, Time } from "../../parts/time.tsx";

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
    ...{ title: "Question", width: "minmax(150px, 3fr)" },
    render: ({ id, question }) => (
      <Link to="/runs/$id" params={{ id }} className="font-medium hover:underline">
        {question}
      </Link>
    ),
  },
  { title: "Outcome", width: "120px", render: ({ outcome }) => <OutcomeBadge outcome={outcome} /> },
  { title: "Model", width: "minmax(80px, 1fr)", wide: true, render: ({ model }) => model },
  { title: "Turns", width: "50px", align: "right", wide: true, render: ({ turns }) => turns },
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
    title: "Took",
    width: "80px",
    align: "right",
    wide: true,
    render: ({ durationMs }) => renderDuration(durationMs),
  },
];

export function RunsTable() {
  const navigate = useNavigate();
  const runs = useInfiniteQuery(runsQuery());
  return (
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
          empty={
            <Empty icon={Bot} title="No agent has run yet">
              What <code className="font-mono">toolplane agent</code>, the chat and the library's agents do is
              listed here.
            </Empty>
          }
        />
      )}
    </QueryView>
  );
}
