import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useOperation } from "../../api/operations.ts";
import { statsQuery } from "../../api/queries.ts";
import { useCanConnect } from "../../app/session.ts";
import { Badge, callerText } from "../../parts/badge.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { counted, Time } from "../../parts/time.tsx";
import { ClientContexts } from "../context/client-contexts.tsx";
import { AllowedClients } from "./allowed-clients.tsx";
import { ClientList, ClientSnippets } from "./connect-clients.tsx";
import { recentCallers } from "./lately-used.ts";

/** One server instead of twenty: how clients reach this plane, and which of them do. */
export function ClientsPage() {
  const canConnect = useCanConnect();
  return (
    <Page
      title="Clients"
      about={`Any MCP client that connects to ${location.origin}/mcp has all tools of this plane.`}
    >
      <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          {canConnect && (
            <Panel flush title="On this machine">
              <ClientList />
            </Panel>
          )}
          <Panel title="By hand">
            <ClientSnippets />
          </Panel>
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <Panel flush title="Connected now">
            <QueryView query={useQuery(statsQuery())} lines={2}>
              {(stats) => <ClientContexts stats={stats} />}
            </QueryView>
          </Panel>
          <AllowedClients />
          <RecentCallers />
        </div>
      </div>
    </Page>
  );
}

/** Of so many calls. */
const maxCalls = 500;

function RecentCallers() {
  return (
    <Panel flush title={`Who made the last ${maxCalls} calls`}>
      <QueryView query={useOperation("calls.list", { limit: maxCalls })} lines={3}>
        {({ calls }) =>
          calls.length === 0 ? (
            <Empty title="No calls yet" />
          ) : (
            <ul className="divide-y divide-line text-sm">
              {recentCallers(calls).map(({ user, face, calls: callCount, failed, at: lastAt }) => (
                <li
                  key={`${user} ${face}`}
                  className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2"
                >
                  <Link
                    to="/calls"
                    search={user === null ? {} : { user }}
                    className="min-w-28 flex-1 break-words font-medium hover:underline"
                  >
                    {callerText(user, face)}
                  </Link>
                  {failed > 0 && <Badge tone="bad">{failed} failed</Badge>}
                  <span className="tabular-nums text-muted">{counted(callCount, "call")}</span>
                  <span className="w-16 text-right text-muted">
                    <Time at={lastAt} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </QueryView>
    </Panel>
  );
}
