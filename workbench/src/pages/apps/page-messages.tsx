import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { callsQuery } from "../../api/queries.ts";
import { CallState } from "../../parts/badge.tsx";
import { Panel } from "../../parts/page.tsx";
import { Time } from "../../parts/time.tsx";
import { conversationOf } from "./app.ts";

/** What the page of a call did: its calls, what it read and what it asked, as the plane recorded it. */
export function PageMessages({ callId }: { callId: string }) {
  const conversation = conversationOf(callId);
  const calls = useInfiniteQuery(callsQuery({ conversation })).data?.pages[0]?.calls ?? [];
  if (calls.length === 0) return null;
  return (
    <Panel flush title="What its page did">
      <ul className="max-h-80 divide-y divide-line overflow-auto text-sm">
        {calls.map((call) => (
          <li key={call.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1.5">
            <Link
              to="/calls/$id"
              params={{ id: call.id }}
              className="min-w-0 flex-1 break-all font-mono text-xs text-accent hover:underline"
            >
              {renderTarget(call)}
            </Link>
            <CallState call={call} />
            <span className="text-xs text-muted">
              <Time at={call.at} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Without the server: it is always the page's own. */
function renderTarget({ tool, server }: { tool: string; server: string | null }): string {
  if (server === null || !tool.startsWith(`${server}.`)) return tool;
  return tool.slice(server.length + 1).replace(/^pages\//, "");
}
