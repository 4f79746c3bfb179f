import { getRouteApi, Link } from "@tanstack/react-router";
import { useOperation } from "../../api/operations.ts";
import { Page } from "../../parts/page.tsx";
import { QueryPage } from "../../parts/query-page.tsx";
import { Time } from "../../parts/time.tsx";
import { PlanEditor } from "./plan-editor.tsx";
import { PlanStatus } from "./plans-page.tsx";

const route = getRouteApi("/plans/$id");

/** One change plan: its changes, in order. */
export function PlanPage() {
  const { id } = route.useParams();
  const query = useOperation("plans.get", { id });
  return (
    <QueryPage query={query} title="Plan" back={<AllPlans />}>
      {(plan) => (
        <Page
          title={
            <>
              Plan <PlanStatus status={plan.status} />
            </>
          }
          about={
            <>
              <AllPlans />
              {" · "}
              {plan.changes.length === 1
                ? "One change"
                : `${plan.changes.length} changes, run in this order`}
              , queued by {plan.user ?? "anonymous"} <Time at={plan.createdAt} />
            </>
          }
        >
          <PlanEditor plan={plan} />
        </Page>
      )}
    </QueryPage>
  );
}

function AllPlans() {
  return (
    <Link to="/plans" className="hover:underline">
      ← All plans
    </Link>
  );
}
