import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ServerStatus } from "../../../../src/model/servers/server-schema.ts";
import { statsQuery } from "../../api/queries.ts";
import { useWhyNot } from "../../app/session.ts";
import { ServerBadge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import type { Column } from "../../parts/data-table.tsx";
import { causeOf } from "../../parts/server-cause.ts";
import { renderCount, Time } from "../../parts/time.tsx";
import { useServerVerb } from "./server-actions.ts";

export const serverColumns: readonly Column<ServerStatus>[] = [
  {
    title: "Server",
    sort: "name",
    value: ({ name }) => name,
    width: "minmax(80px, 3fr)",
    render: (server) => (
      <>
        <Link
          to="/servers/$name"
          params={{ name: server.name }}
          title={server.name}
          className="font-medium hover:underline"
        >
          {server.name}
        </Link>
        <span className="line-clamp-2 whitespace-normal break-words text-xs max-md:hidden">
          {renderNote(server)}
        </span>
      </>
    ),
  },
  {
    title: "State",
    sort: "state",
    value: ({ state, idle }) => (idle ? "idle" : state),
    width: "minmax(110px, 150px)",
    render: (server) => <ServerBadge server={server} />,
  },
  { title: "Transport", width: "76px", wide: true, render: ({ transport }) => transport ?? "–" },
  {
    title: "Tools",
    sort: "tools",
    value: ({ tools }) => tools,
    width: "60px",
    align: "right",
    wide: true,
    render: ({ tools, stale }) => (
      <span title={stale ? "Listed before it failed." : undefined}>
        {renderCount(tools)}
        {stale && "*"}
      </span>
    ),
  },
  {
    title: "Tokens",
    width: "64px",
    align: "right",
    wide: true,
    render: ({ name }) => <Tokens server={name} />,
  },
  { title: "Listed", width: "76px", wide: true, render: ({ listedAt }) => <Time at={listedAt} /> },
  {
    title: "Action",
    width: "112px",
    wide: true,
    render: (server) => <RowAction server={server} />,
  },
];

/** The context cost of its definitions. */
function Tokens({ server }: { server: string }) {
  const stats = useQuery(statsQuery());
  const cost = stats.data?.servers.find(({ name }) => name === server);
  if (cost !== undefined) return renderCount(cost.fullTokens);
  return <span className="text-muted">{stats.isPending ? "…" : "–"}</span>;
}

/** What a person should know about it, if anything. */
export function renderNote(server: ServerStatus): ReactNode {
  const { rejected, installing, foundIn } = server;
  const cause = causeOf(server);
  if (installing) {
    const line = installing.lastLine ?? "downloading its package";
    return (
      <span title={line} className="text-muted">
        installing: {line}
      </span>
    );
  }
  if (cause !== null)
    return (
      <span title={cause} className="text-bad">
        {cause}
      </span>
    );
  if (rejected.length === 0)
    return foundIn ? <span className="text-muted">found in {foundIn.join(", ")}</span> : null;
  return <span className="text-warn">rejected: {rejected.map(({ tool }) => tool).join(", ")}</span>;
}

/** The one thing to do next with it; its page has the others. */
function RowAction({ server: { name, state } }: { server: ServerStatus }) {
  const verb = useServerVerb(name);
  const whyNot = useWhyNot("admin");
  if (isTroubled(state))
    return (
      <Link
        to="/servers/$name"
        params={{ name }}
        aria-label={`${state === "untrusted" ? "Review" : "Diagnose"} ${name}`}
        className="font-medium text-accent hover:underline"
      >
        {state === "untrusted" ? "Review" : "Diagnose"}
      </Link>
    );
  if (state === "disabled") return null;
  const isUp = state === "connected" || state === "connecting";
  return (
    <Button
      variant="quiet"
      className="-ml-3"
      aria-label={`${isUp ? "Disconnect" : "Connect"} ${name}`}
      whyNot={whyNot}
      busy={verb.isPending}
      onClick={() => verb.mutate(isUp ? "disconnect" : "connect")}
    >
      {isUp ? "Disconnect" : "Connect"}
    </Button>
  );
}

export const isTroubled = (state: string) =>
  ["error", "config_error", "untrusted", "backoff"].includes(state);
