import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { ListChecks } from "lucide-react";
import type { Plan } from "../../../../src/model/held-call.ts";
import { plansQuery } from "../../api/approval-queries.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
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
    width: "minmax(180px, 3fr)",
    render: ({ id, changes }) => (
      <Link to="/plans/$id" params={{ id }} className="font-mono text-xs hover:underline">
        {changes.map(({ tool }) => tool).join(", ")}
      </Link>
    ),
  },
  {
    title: "Waiting",
    width: "70px",
    align: "right",
    render: ({ changes }) => changes.filter(({ status }) => status === "pending").length,
  },
  { title: "State", width: "110px", render: ({ status }) => <PlanStatus status={status} /> },
  { title: "By", width: "minmax(80px, 1fr)", wide: true, render: ({ user }) => user ?? "–" },
  { title: "When", width: "80px", align: "right", render: ({ createdAt }) => <Time at={createdAt} /> },
];

/** Changes that were queued instead of made, newest plan first. */
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
            rows={plans.toReversed()}
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
