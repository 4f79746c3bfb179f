import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type PlanAnswer, plansQuery } from "../../api/approval-queries.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { ListChecks } from "../../parts/icons.ts";
import { Page } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";

const tones: Record<PlanAnswer["status"], Tone> = {
  pending: "accent",
  partly: "warn",
  done: "good",
  rejected: "neutral",
};

const statusTexts: Record<PlanAnswer["status"], string> = {
  pending: "waiting",
  partly: "partly done",
  done: "done",
  rejected: "rejected",
};

export function PlanStatus({ status }: { status: PlanAnswer["status"] }) {
  return (
    <Badge dot tone={tones[status]}>
      {statusTexts[status]}
    </Badge>
  );
}

const columns: Column<PlanAnswer>[] = [
  {
    title: "Changes",
    width: "minmax(120px, 3fr)",
    render: ({ id, changes }) => (
      <Link
        to="/plans/$id"
        params={{ id }}
        className="font-mono text-xs font-medium hover:underline"
      >
        {renderTools(changes.map(({ tool }) => tool))}
      </Link>
    ),
  },
  {
    title: "Waiting",
    width: "60px",
    align: "right",
    wide: true,
    render: ({ changes }) => `${waitingIn(changes)} of ${changes.length}`,
  },
  { title: "State", width: "96px", render: ({ status }) => <PlanStatus status={status} /> },
  { title: "By", width: "minmax(80px, 1fr)", wide: true, render: ({ user }) => user ?? "–" },
  {
    title: "When",
    width: "64px",
    align: "right",
    render: ({ createdAt }) => <Time at={createdAt} />,
  },
];

type Changes = PlanAnswer["changes"];
const waitingIn = (changes: Changes) => changes.filter(({ status }) => status === "pending").length;

/** Each tool with its count. */
function renderTools(tools: readonly string[]): string {
  const counts = Map.groupBy(tools, (tool) => tool);
  return [...counts]
    .map(([tool, { length }]) => (length === 1 ? tool : `${tool} × ${length}`))
    .join(", ");
}

/** Waiting plans, then finished ones, newest first. */
function waitingFirst(plans: readonly PlanAnswer[]): PlanAnswer[] {
  const isOver = ({ changes }: PlanAnswer) => Number(waitingIn(changes) === 0);
  return plans.toReversed().toSorted((a, b) => isOver(a) - isOver(b));
}

/** Change plans, waiting ones first. */
export function PlansPage() {
  const query = useQuery(plansQuery());
  const navigate = useNavigate();
  return (
    <Page fill title="Plans" about="Queued changes, to be reviewed and run in order.">
      <QueryView query={query}>
        {({ plans }) => (
          <DataTable
            label="Plans"
            columns={columns}
            rows={waitingFirst(plans)}
            keyOf={({ id }) => id}
            onOpen={({ id }) => void navigate({ to: "/plans/$id", params: { id } })}
            empty={
              <Empty icon={ListChecks} title="No plans">
                In plan mode, calls with side effects are queued here.
              </Empty>
            }
          />
        )}
      </QueryView>
    </Page>
  );
}
