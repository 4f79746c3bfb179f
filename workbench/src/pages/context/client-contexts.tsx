import { Link } from "@tanstack/react-router";
import type { AnswerOf } from "../../../../src/operations/operations.ts";
import { Badge } from "../../parts/badge.tsx";
import { Empty } from "../../parts/states.tsx";
import { renderCount, Time } from "../../parts/time.tsx";

type ClientContextsProps = {
  stats: AnswerOf<"stats">;
  /** With the way to the page that connects one. */
  connect?: boolean;
};

/** What each connected client has in its context. */
export function ClientContexts({ stats: { sessions = [] }, connect = false }: ClientContextsProps) {
  if (sessions.length === 0)
    return (
      <Empty
        title="No MCP client is connected"
        {...(connect && {
          action: (
            <Link to="/clients" className="text-sm font-medium text-accent hover:underline">
              Connect a client
            </Link>
          ),
        })}
      >
        Those that hold a session are listed here, with what they have in their context.
      </Empty>
    );
  return (
    <ul className="divide-y divide-line text-sm">
      {sessions.map(({ id, client, user, mode, since, tools, loaded, loadedTokens }) => (
        <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
          <span className="font-medium">{client ?? "a client"}</span>
          <Badge tone={mode === "lazy" ? "good" : "neutral"}>{mode}</Badge>
          <span className="text-muted">{user}</span>
          <span className="ml-auto tabular-nums text-muted" title={loaded.join(", ")}>
            {tools} tools, {renderCount(loadedTokens)} tokens, since <Time at={since} />
          </span>
        </li>
      ))}
    </ul>
  );
}
