import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { sessionQuery } from "../../api/queries.ts";
import { useMay } from "../../app/session.ts";
import { Facts, Page, Panel } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { ConfigView } from "./config-view.tsx";
import { ContextMeter } from "./context-meter.tsx";
import { Keys } from "./keys.tsx";

const route = getRouteApi("/settings");

export function SettingsPage() {
  const { view = "context" } = route.useSearch();
  const navigate = useNavigate();
  const mayManage = useMay("admin");
  const forAdmins = <Empty title="Only admins can see this" />;
  const tabs = [
    { name: "context", title: "Context meter", content: <ContextMeter /> },
    { name: "keys", title: "Keys", content: mayManage ? <Keys /> : forAdmins },
    { name: "config", title: "Configuration", content: mayManage ? <ConfigView /> : forAdmins },
    { name: "you", title: "You", content: <You /> },
  ];
  return (
    <Page title="Settings">
      <Tabs
        label="Settings"
        tabs={tabs}
        value={tabs.some(({ name }) => name === view) ? view : "context"}
        onChange={(next) => void navigate({ to: "/settings", search: { view: next }, replace: true })}
      />
    </Page>
  );
}

function You() {
  const session = useQuery(sessionQuery()).data;
  if (!session) return null;
  return (
    <Panel title="Session">
      <Facts
        items={[
          ["User", session.user ?? "anonymous"],
          ["Groups", session.groups.join(", ") || "none"],
          ["Persona", session.persona],
          ["Scopes", session.scopes.join(", ")],
          ["Credentials", session.needsCredentials ? "required" : "not required on this machine"],
          ["Version", session.version],
        ]}
      />
    </Panel>
  );
}
