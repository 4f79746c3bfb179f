import { Page, Panel } from "../../parts/page.tsx";
import { ClientList, ClientSnippets, useCanConnect } from "./connect-clients.tsx";

/** One server instead of twenty: how clients reach this plane. */
export function ClientsPage() {
  const canConnect = useCanConnect();
  return (
    <Page title="Clients" about={`Any MCP client that connects to ${location.origin}/mcp has all tools of this plane.`}>
      <div className="grid grid-cols-1 items-start gap-3 xl:grid-cols-2">
        {canConnect && (
          <Panel flush title="On this machine">
            <ClientList />
          </Panel>
        )}
        <Panel title="By hand">
          <ClientSnippets />
        </Panel>
      </div>
    </Page>
  );
}
