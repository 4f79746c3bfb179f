import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "../../api/queries.ts";
import { useMay } from "../../app/session.ts";
import { Facts, Page, Panel } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { ConfigView } from "./config-view.tsx";
import { ContextMeter } from "./context-meter.tsx";
import { Keys } from "./keys.tsx";

export function SettingsPage() {
  const mayManage = useMay("admin");
  const forAdmins = <Empty title="This is for admins to see" />;
  return (
    <Page title="Settings">
      <Tabs
        label="Settings"
        tabs={[
          { name: "context", title: "Context meter", content: <ContextMeter /> },
          { name: "keys", title: "Keys", content: mayManage ? <Keys /> : forAdmins },
          { name: "config", title: "Configuration", content: mayManage ? <ConfigView /> : forAdmins },
          { name: "you", title: "You", content: <You /> },
        ]}
      />
    </Page>
  );
}

function You() {
  const session = useQuery(sessionQuery()).data;
  if (!session) return null;
  return (
    <Panel title="Who asks">
      <Facts
        items={[
          ["User", session.user ?? "nobody"],
          ["Groups", session.groups.join(", ") || "none"],
          ["Persona", session.persona],
          ["May", session.scopes.join(", ")],
          [
            "Credentials",
            session.needsCredentials ? "everybody has to show one" : "not needed on this machine",
          ],
          ["Version", session.version],
        ]}
      />
    </Panel>
  );
}
