import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callOperation, useMutateOperation, useOperation } from "../../api/operations.ts";
import { type ClientRow, clientsQuery } from "../../api/queries.ts";
import { useCanConnect, useNeedsCredentials } from "../../app/session.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { CodeView } from "../../parts/code-view.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { PlugZap } from "../../parts/icons.ts";
import { Complaint, QueryView } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { counted } from "../../parts/time.tsx";
import { toast, toastError } from "../../parts/toast.ts";
import { renderSecrets } from "./kept-apart.ts";
import { snippetsFor } from "./snippets.ts";

/** Text to copy for any client. */
export function ClientSnippets() {
  const snippets = snippetsFor(location.origin, useNeedsCredentials());
  return (
    <Tabs
      label="Clients"
      tabs={snippets.map(({ name, title, hint, text }) => ({
        name,
        title,
        content: (
          <div className="flex flex-col gap-2 text-sm">
            <p className="text-muted">{hint}</p>
            <CodeView wrap label={`the entry for ${title}`} text={text} />
          </div>
        ),
      }))}
    />
  );
}

/** The last of the first steps. */
export function ConnectStep() {
  return (
    <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-2">
      {useCanConnect() && (
        <div className="rounded-md border border-line">
          <ClientList />
        </div>
      )}
      <ClientSnippets />
    </div>
  );
}

/** Clients of the machine, those that are installed first, each with one button. */
export function ClientList() {
  const [chosenRow, setChosenRow] = useState<ClientRow | null>(null);
  const clients = useQuery(clientsQuery());
  return (
    <>
      <QueryView query={clients} what="Looking for clients on this machine">
        {({ clients: rows }) => {
          const installed = rows.filter(
            ({ isInstalled, isConnected }) => isInstalled || isConnected,
          );
          if (installed.length === 0)
            return (
              <p className="p-4 text-sm text-muted">
                No known client is installed on the plane's machine.
              </p>
            );
          return (
            <ul className="divide-y divide-line text-sm">
              {installed.map((row) => (
                <ClientItem key={row.client} row={row} onConnect={() => setChosenRow(row)} />
              ))}
            </ul>
          );
        }}
      </QueryView>
      {chosenRow !== null && <ConnectDialog row={chosenRow} onClose={() => setChosenRow(null)} />}
    </>
  );
}

function ClientItem({ row, onConnect }: { row: ClientRow; onConnect: () => void }) {
  const { client: clientId, title, isConnected, servers } = row;
  const disconnect = useMutateOperation("clients.disconnect", {
    onSuccess: ({ kept }) =>
      toast(`${title} has ${counted(kept.length, "server")} of its own again.`),
    onError: toastError,
    changes: ["clients"],
  });
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
      <span className="min-w-28 flex-1">
        <span className="font-medium">{title}</span>
        {servers.length > 0 && (
          <span className="text-muted"> · {counted(servers.length, "server")} of its own</span>
        )}
      </span>
      {isConnected && <Badge tone="good">connected</Badge>}
      {isConnected ? (
        <Button
          variant="quiet"
          busy={disconnect.isPending}
          onClick={() => disconnect.mutate({ client: clientId })}
        >
          Disconnect
        </Button>
      ) : (
        <Button icon={PlugZap} aria-label={`Connect ${title}`} onClick={onConnect}>
          Connect
        </Button>
      )}
    </li>
  );
}

/** Says what would change in the client's file, then changes it. */
function ConnectDialog({
  row: { client: id, title },
  onClose,
}: {
  row: ClientRow;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const [keep, setKeep] = useState(false);
  const plan = useOperation(
    "clients.connect",
    { client: id, keep, dryRun: true },
    { gcTime: 0, retry: false },
  );
  const connect = useMutation({
    mutationFn: () => callOperation("clients.connect", { client: id, keep }),
    onSuccess() {
      toast(`${title} uses Toolplane. Restart it to see the tools.`);
      onClose();
    },
    onSettled: () => client.invalidateQueries(),
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Connect ${title}`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            busy={connect.isPending}
            disabled={plan.data === undefined}
            onClick={() => connect.mutate()}
          >
            Connect {title}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 text-sm">
        <QueryView query={plan} what="Reading the client's file">
          {({ file, moved, kept, secrets, isChanged }) => (
            <>
              <p>
                {isChanged ? (
                  <>
                    Toolplane becomes a server in <code className="font-mono">{file}</code>. A
                    backup is kept.
                  </>
                ) : (
                  "It uses Toolplane already. Nothing changes."
                )}
              </p>
              {moved.length > 0 && <p>Moves into the plane: {moved.join(", ")}.</p>}
              {secrets.length > 0 && <p className="text-muted">{renderSecrets(secrets)}</p>}
              {kept.length > 0 && (
                <p className="text-muted">Stays in the client: {kept.join(", ")}.</p>
              )}
            </>
          )}
        </QueryView>
        <label className="flex items-center gap-2">
          <input
            type="checkbox"
            checked={keep}
            onChange={({ target }) => setKeep(target.checked)}
          />
          Leave the client's own servers where they are
        </label>
        <Complaint error={connect.error} />
      </div>
    </Dialog>
  );
}
