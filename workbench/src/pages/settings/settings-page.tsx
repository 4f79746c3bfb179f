import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Navigate, useNavigate } from "@tanstack/react-router";
import { sessionQuery } from "../../api/session.ts";
import { useMay } from "../../app/session.ts";
import { Facts, Page, Panel } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { ChangedDefaults } from "./changed-defaults.tsx";
import { ConfigView } from "./config-view.tsx";

const route = getRouteApi("/settings");

export function SettingsPage() {
  const { view = "config" } = route.useSearch();
  const navigate = useNavigate();
  const mayManage = useMay("admin");
  const forAdmins = <Empty title="Only admins can see this" />;
  const tabs = [
    { name: "config", title: "Configuration", content: mayManage ? <ConfigView /> : forAdmins },
    { name: "defaults", title: "Changed defaults", content: <ChangedDefaults /> },
    { name: "you", title: "You", content: <You /> },
  ];
  // Links from before the context had a page of its own.
  if (view === "context") return <Navigate replace to="/context" search={{}} />;
  // Links from before keys had a page of their own.
  if (view === "keys") return <Navigate replace to="/users" search={{ view: "keys" }} />;
  return (
    <Page title="Settings">
      <Tabs
        label="Settings"
        tabs={tabs}
        value={tabs.some(({ name }) => name === view) ? view : "config"}
        onChange={(next) =>
          void navigate({ to: "/settings", search: { view: next }, replace: true })
        }
      />
    </Page>
  );
}

function You() {
  return (
    <Panel title="Session">
      <QueryView query={useQuery(sessionQuery())}>
        {(session) => (
          <Facts
            items={[
              ["User", session.user ?? "anonymous"],
              ["Groups", session.groups.join(", ") || "none"],
              ["Persona", session.persona],
              ["Scopes", session.scopes.join(", ")],
              [
                "Credentials",
                session.needsCredentials ? "required" : "not required on this machine",
              ],
              ["Version", session.version],
            ]}
          />
        )}
      </QueryView>
    </Panel>
  );
}
