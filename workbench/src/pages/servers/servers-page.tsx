import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { compareText } from "../../../../src/lib/text/wording.ts";
import type { ServerStatus } from "../../../../src/model/servers/server-schema.ts";
import type { AnswerOf } from "../../../../src/operations/operations.ts";
import { serversQuery } from "../../api/queries.ts";
import { useMay, useWhyNot } from "../../app/session.ts";
import { Button } from "../../parts/button.tsx";
import { DataTable } from "../../parts/data-table.tsx";
import { TextInput } from "../../parts/field.tsx";
import { Import, Plus, RefreshCw, Server } from "../../parts/icons.ts";
import { Page } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { AddServerDialog } from "./add-server-dialog.tsx";
import { ImportDialog } from "./import-dialog.tsx";
import { useRefreshAll } from "./server-actions.ts";
import { isTroubled, renderNote, serverColumns } from "./server-columns.tsx";

export function ServersPage() {
  const [dialog, setDialog] = useState<"add" | "import" | null>(null);
  const [query, setQuery] = useState("");
  const servers = useQuery(serversQuery());
  const navigate = useNavigate();
  const mayManage = useMay("admin");
  const whyNot = useWhyNot("admin");
  const refreshAll = useRefreshAll();
  const close = () => setDialog(null);
  return (
    <Page
      fill
      title="Servers"
      about={servers.data && renderSummary(servers.data)}
      actions={
        <>
          <Button
            icon={RefreshCw}
            title="Lists the tools of every server again and reconnects failed ones."
            busy={refreshAll.isPending}
            whyNot={whyNot}
            onClick={() => refreshAll.mutate({})}
          >
            Refresh all
          </Button>
          <Button icon={Import} disabled={!mayManage} onClick={() => setDialog("import")}>
            Import
          </Button>
          <Button
            variant="primary"
            icon={Plus}
            disabled={!mayManage}
            onClick={() => setDialog("add")}
          >
            Add server
          </Button>
        </>
      }
    >
      <QueryView query={servers}>
        {({ servers: rows, locked = [] }) => (
          <>
            <Filter value={query} onChange={setQuery} />
            <DataTable
              label="Servers"
              columns={serverColumns}
              rows={inOrder(rows, query)}
              rowHeight={46}
              below={renderNote}
              keyOf={({ name }) => name}
              onOpen={({ name }) => void navigate({ to: "/servers/$name", params: { name } })}
              empty={
                rows.length === 0 ? (
                  <Empty
                    icon={Server}
                    title="No servers yet"
                    action={
                      <span className="mt-2 flex flex-wrap justify-center gap-2">
                        <Button
                          variant="primary"
                          icon={Plus}
                          disabled={!mayManage}
                          onClick={() => setDialog("add")}
                        >
                          Add the first server
                        </Button>
                        <Button
                          icon={Import}
                          disabled={!mayManage}
                          onClick={() => setDialog("import")}
                        >
                          Import from my editor
                        </Button>
                      </span>
                    }
                  >
                    Paste anything that names an MCP server, or take over what your editor has.
                  </Empty>
                ) : (
                  <Empty icon={Server} title="No servers match">
                    Looked for “{query}” in names, states and errors.
                  </Empty>
                )
              }
            />
            {locked.length > 0 && (
              <p className="text-xs text-muted">
                No access:{" "}
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

/** Those that need a person first. */
function inOrder(servers: readonly ServerStatus[], query: string): ServerStatus[] {
  const matchingServers = servers.filter((server) => matchesQuery(server, query));
  return matchingServers.toSorted(
    (a, b) =>
      Number(isTroubled(b.state)) - Number(isTroubled(a.state)) || compareText(a.name, b.name),
  );
}

function renderSummary({ servers, total }: AnswerOf<"servers.list">): string {
  const count = (isCounted: (server: ServerStatus) => boolean) => servers.filter(isCounted).length;
  const connected = count(({ state }) => state === "connected");
  const idle = count((server) => server.idle);
  const inTrouble = count(({ state }) => isTroubled(state));
  const counts = [`${total} configured`, `${connected} connected`];
  if (idle > 0) counts.push(`${idle} idle`);
  if (inTrouble > 0) counts.push(`${inTrouble} in trouble`);
  return counts.join(", ");
}

/** `trouble` matches failing servers. */
function matchesQuery(
  { name, state, error, idle, installing }: ServerStatus,
  query: string,
): boolean {
  const shownStates = [
    idle ? "idle" : state,
    installing ? "installing" : "",
    isTroubled(state) ? "trouble" : "",
  ];
  const searchText = [name, ...shownStates, error ?? ""].join(" ").toLowerCase();
  return query
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .every((term) => searchText.includes(term));
}

function Filter({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <TextInput
      aria-label="Find a server"
      placeholder="Find by name, state or error, for example: trouble"
      className="max-w-md shrink-0"
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
