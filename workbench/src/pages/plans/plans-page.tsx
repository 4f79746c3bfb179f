import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { Plan } from "../../../../src/model/calls/held-call.ts";
import { plansQuery } from "../../api/approval-queries.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { ListChecks } from "../../parts/icons.ts";
import { Page } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";

const tones: Record<Plan["status"], Tone> = {
  pending: "accent",
  partly: "warn",
  done: "good",
  rejected: "neutral",
};

export function PlanStatus({ status }: { status: Plan["status"] }) {
  return (
    <Badge dot tone={tones[status]}>
      {status === "pending" ? "waiting" : status === "partly" ? "partly done" : status}
    </Badge>
  );
}

const columns: Column<Plan>[] = [
  {
    title: "Changes",
    width: "minmax(120px, 3fr)",
    render: ({ id, changes }) => (
      <Link to="/plans/$id" params={{ id }} className="font-mono text-xs hover:underline">
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
  { title: "When", width: "64px", align: "right", render: ({ createdAt }) => <Time at={createdAt} /> },
];

type Changes = Plan["changes"];
const waitingIn = (changes: Changes) => changes.filter(({ status }) => status === "pending").length;

/** Each tool once, and how often. */
function renderTools(tools: readonly string[]): string {
  const counts = Map.groupBy(tools, (tool) => tool);
  return [...counts].map(([tool, all]) => (all.length === 1 ? tool : `${tool} × ${all.length}`)).join(", ");
}

/** Those that wait for somebody, then those that are over, the newest first of each. */
function waitingFirst(plans: readonly Plan[]): Plan[] {
  const isOver = ({ changes }: Plan) => Number(waitingIn(changes) === 0);
  return plans.toReversed().toSorted((one, other) => isOver(one) - isOver(other));
}

/** Changes that were queued instead of made, those that wait first. */
export function PlansPage() {
  const query = useQuery(plansQuery());
  const navigate = useNavigate();
  return (
    <Page fill title="Plans" about="Changes that were queued together, to be looked at and run in order.">
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
                In plan mode, what may change something is queued here instead of made.
              </Empty>
            }
          />
        )}
      </QueryView>
    </Page>
  );
}
