import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Import, Plug, Plus, RefreshCw, Server, Unplug } from "lucide-react";
import { useState } from "react";
import type { ServerStatus } from "../../../../src/model/server.ts";
import { serversQuery, statsQuery } from "../../api/queries.ts";
import { useMay } from "../../app/session.ts";
import { StateBadge } from "../../parts/badge.tsx";
import { Button, IconButton } from "../../parts/button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { renderCount, Time } from "../../parts/time.tsx";
import { AddServerDialog } from "./add-server-dialog.tsx";
import { ImportDialog } from "./import-dialog.tsx";
import { useRefreshAll, useServerVerb } from "./server-actions.ts";

const columns: readonly Column<ServerStatus>[] = [
  {
    ...{ title: "Server", width: "minmax(80px, 1.4fr)" },
    render: ({ name }) => (
      <Link to="/servers/$name" params={{ name }} className="font-medium hover:underline">
        {name}
      </Link>
    ),
  },
  {
    title: "State",
    width: "minmax(110px, 150px)",
    render: ({ state }) => <StateBadge kind="server" state={state} />,
  },
  { title: "Transport", width: "76px", wide: true, render: ({ transport }) => transport ?? "–" },
  {
    title: "Tools",
    width: "60px",
    align: "right",
    wide: true,
    render: ({ tools, stale }) => (stale ? `${tools}*` : tools),
  },
  {
    title: "Tokens",
    width: "64px",
    align: "right",
    wide: true,
    render: ({ name }) => <Tokens server={name} />,
  },
  { title: "Listed", width: "84px", wide: true, render: ({ listedAt }) => <Time at={listedAt} /> },
  { title: "Note", width: "minmax(120px, 3fr)", wide: true, render: (server) => <Note server={server} /> },
  { title: "Actions", width: "72px", render: (server) => <RowActions server={server} /> },
];

export function ServersPage() {
  const [dialog, setDialog] = useState<"add" | "import" | null>(null);
  const servers = useQuery(serversQuery());
  const navigate = useNavigate();
  const mayManage = useMay("admin");
  const refreshAll = useRefreshAll();
  const close = () => setDialog(null);
  return (
    <Page
      fill
      title="Servers"
      about={servers.data && `${servers.data.total} configured`}
      actions={
        <>
          <Button
            icon={RefreshCw}
            title="Asks every server for its tools, and connects again what had failed."
            busy={refreshAll.isPending}
            disabled={!mayManage}
            onClick={() => refreshAll.mutate()}
          >
            Refresh all
          </Button>
          <Button icon={Import} disabled={!mayManage} onClick={() => setDialog("import")}>
            Import
          </Button>
          <Button variant="primary" icon={Plus} disabled={!mayManage} onClick={() => setDialog("add")}>
            Add server
          </Button>
        </>
      }
    >
      <QueryView query={servers}>
        {({ servers: rows, locked = [] }) => (
          <>
            <DataTable
              label="Servers"
              columns={columns}
              rows={rows}
              keyOf={({ name }) => name}
              onOpen={({ name }) => void navigate({ to: "/servers/$name", params: { name } })}
              empty={
                <Empty icon={Server} title="No servers yet">
                  Add one, paste the configuration of any client, or import what your editor already has.
                </Empty>
              }
            />
            {locked.length > 0 && (
              <p className="text-xs text-muted">
                Not for you:{" "}
                {locked
                  .map(
                    ({ name, contact }) =>
                      `${name} (ask ${contact.help_email ?? contact.author ?? "its owner"})`,
                  )
                  .join(", ")}
              </p>
            )}
          </>
        )}
      </QueryView>
      {dialog === "add" && <AddServerDialog onClose={close} />}
      {dialog === "import" && <ImportDialog onClose={close} />}
    </Page>
  );
}

/** What its definitions cost in the context of a model. */
function Tokens({ server }: { server: string }) {
  const cost = useQuery(statsQuery()).data?.servers.find(({ name }) => name === server);
  return cost === undefined ? "–" : renderCount(cost.fullTokens);
}

function Note({ server: { state, error, rejected, nextRetryAt } }: { server: ServerStatus }) {
  if (error !== null)
    return (
      <span title={error} className="text-bad">
        {nextRetryAt !== null && state === "backoff" && (
          <>
            again <Time at={nextRetryAt} />:{" "}
          </>
        )}
        {error}
      </span>
    );
  if (rejected.length === 0) return null;
  return <span className="text-warn">not usable: {rejected.map(({ tool }) => tool).join(", ")}</span>;
}

function RowActions({ server: { name, state } }: { server: ServerStatus }) {
  const verb = useServerVerb(name);
  const disabled = !useMay("admin") || verb.isPending || state === "disabled" || state === "config_error";
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
