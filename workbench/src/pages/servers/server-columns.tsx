import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ServerStatus } from "../../../../src/model/servers/server-schema.ts";
import { statsQuery } from "../../api/queries.ts";
import { useMay } from "../../app/session.ts";
import { ServerBadge } from "../../parts/badge.tsx";
import { IconButton } from "../../parts/button.tsx";
import type { Column } from "../../parts/data-table.tsx";
import { Plug, RefreshCw, Unplug } from "../../parts/icons.ts";
import { renderCount, Time } from "../../parts/time.tsx";
import { useServerVerb } from "./server-actions.ts";

export const serverColumns: readonly Column<ServerStatus>[] = [
  {
    title: "Server",
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
        <span className="block truncate text-xs max-md:hidden">{renderNote(server)}</span>
      </>
    ),
  },
  {
    title: "State",
    width: "minmax(110px, 150px)",
    render: (server) => <ServerBadge server={server} />,
  },
  { title: "Transport", width: "76px", wide: true, render: ({ transport }) => transport ?? "–" },
  {
    title: "Tools",
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
  { title: "Actions", width: "72px", render: (server) => <RowActions server={server} /> },
];

/** The context cost of its definitions. */
function Tokens({ server }: { server: string }) {
  const stats = useQuery(statsQuery());
  const cost = stats.data?.servers.find(({ name }) => name === server);
  return cost === undefined ? (
    <span className="text-muted">{stats.isPending ? "…" : "–"}</span>
  ) : (
    renderCount(cost.fullTokens)
  );
}

/** What a person should know about it, if anything. */
export function renderNote({ error, rejected, installing }: ServerStatus): ReactNode {
  if (installing) {
    const line = installing.lastLine ?? "downloading its package";
    return (
      <span title={line} className="text-muted">
        installing: {line}
      </span>
    );
  }
  if (error !== null)
    return (
      <span title={error} className="text-bad">
        {error}
      </span>
    );
  if (rejected.length === 0) return null;
  return <span className="text-warn">rejected: {rejected.map(({ tool }) => tool).join(", ")}</span>;
}

function RowActions({ server: { name, state } }: { server: ServerStatus }) {
  const verb = useServerVerb(name);
  const disabled = !useMay("admin") || verb.isPending || ["disabled", "config_error", "untrusted"].includes(state);
  const isUp = state === "connected" || state === "connecting";
  return (
    <span className="flex">
      <IconButton
        label={`${isUp ? "Disconnect" : "Connect"} ${name}`}
        icon={isUp ? Unplug : Plug}
        disabled={disabled}
        onClick={() => verb.mutate(isUp ? "disconnect" : "connect")}
      />
      <IconButton
        label={`Refresh ${name}`}
        icon={RefreshCw}
        disabled={disabled}
        onClick={() => verb.mutate("refresh")}
      />
    </span>
  );
}
