import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useOperation } from "../../api/operations.ts";
import { serversQuery } from "../../api/queries.ts";
import { ServerBadge, StateBadge } from "../../parts/badge.tsx";
import { Panel } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { counted, renderDuration, Time } from "../../parts/time.tsx";

export function RecentCalls() {
  return (
    <Panel
      flush
      title="Last calls"
      actions={
        <Link to="/calls" className="text-sm text-accent hover:underline">
          All calls
        </Link>
      }
    >
      <QueryView query={useOperation("calls.list", { limit: 8 })}>
        {({ calls }) =>
          calls.length === 0 ? (
            <Empty title="No calls yet">
              Try one, or connect a client to{" "}
              <code className="font-mono">{location.origin}/mcp</code>.
            </Empty>
          ) : (
            <ul className="divide-y divide-line text-sm">
              {calls.map(({ id, at: startedAt, tool, status, durationMs }) => (
                <li key={id} className="flex items-center gap-3 px-4 py-2">
                  <Link
                    to="/calls/$id"
                    params={{ id }}
                    className="min-w-0 flex-1 truncate font-mono text-xs font-medium hover:underline"
                  >
                    {tool}
                  </Link>
                  <span className="w-26 shrink-0">
                    <StateBadge kind="call" state={status} />
                  </span>
                  <span className="w-16 text-right tabular-nums text-muted max-sm:hidden xl:hidden 2xl:inline">
                    {renderDuration(durationMs)}
                  </span>
                  <span className="w-20 text-right text-muted">
                    <Time at={startedAt} />
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

/** The length of the list; failing servers come first. */
const maxServers = 30;
const hasTrouble = ({ state }: { state: string }) =>
  !["connected", "connecting", "disabled", "disconnected"].includes(state);

export function ServerList() {
  return (
    <Panel
      flush
      title="Servers"
      actions={
        <Link to="/servers" className="text-sm text-accent hover:underline">
          All servers
        </Link>
      }
    >
      <QueryView query={useQuery(serversQuery())}>
        {({ servers }) =>
          servers.length === 0 ? (
            <Empty title="No servers yet">
              <Link to="/servers" className="text-accent underline">
                Add the first one
              </Link>
            </Empty>
          ) : (
            <ul className="max-h-96 divide-y divide-line overflow-auto text-sm">
              {troubledFirst(servers).map((server) => (
                <li key={server.name} className="flex items-center gap-3 px-4 py-2">
                  <Link
                    to="/servers/$name"
                    params={{ name: server.name }}
                    className="min-w-0 flex-1 truncate font-medium hover:underline"
                  >
                    {server.name}
                  </Link>
                  <span className="text-right tabular-nums text-muted">
                    {counted(server.tools, "tool")}
                  </span>
                  <span className="w-34 shrink-0">
                    <ServerBadge server={server} />
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

function troubledFirst<Listed extends { state: string }>(servers: readonly Listed[]): Listed[] {
  return servers
    .toSorted((a, b) => Number(hasTrouble(b)) - Number(hasTrouble(a)))
    .slice(0, maxServers);
}
