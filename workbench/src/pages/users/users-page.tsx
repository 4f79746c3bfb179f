import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useOperation } from "../../api/operations.ts";
import type { UserRow } from "../../api/queries.ts";
import { useMay } from "../../app/session.ts";
import { Badge } from "../../parts/badge.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { User } from "../../parts/icons.ts";
import { Page } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { Time } from "../../parts/time.tsx";
import { Keys } from "./keys.tsx";
import { People } from "./people.tsx";

const route = getRouteApi("/users");

const columns: readonly Column<UserRow>[] = [
  {
    title: "User",
    width: "minmax(120px, 2fr)",
    render: ({ name }) => (
      <Link
        to="/users"
        search={{ view: "keys", user: name }}
        className="font-medium hover:underline"
      >
        {name}
      </Link>
    ),
  },
  {
    title: "Groups",
    width: "minmax(80px, 2fr)",
    wide: true,
    render: ({ groups }) => groups.join(", ") || <span className="text-muted">none</span>,
  },
  { title: "Persona", width: "minmax(70px, 1fr)", wide: true, render: ({ persona }) => persona },
  {
    title: "Limits",
    width: "minmax(80px, 1.5fr)",
    wide: true,
    render: ({ workspace, compliance, toolGroups }) =>
      [
        workspace && `workspace ${workspace}`,
        compliance,
        toolGroups && `tools ${toolGroups.join(", ")}`,
      ]
        .filter(Boolean)
        .join("; "),
  },
  { title: "Keys", width: "44px", align: "right", render: ({ keys }) => keys },
  {
    title: "Last use",
    width: "90px",
    render: ({ lastUsedAt }) =>
      lastUsedAt === null ? <span className="text-muted">never</span> : <Time at={lastUsedAt} />,
  },
  {
    title: "Known from",
    width: "104px",
    wide: true,
    render: ({ isConfigured }) => <Badge>{isConfigured ? "configuration" : "a key"}</Badge>,
  },
  {
    title: "Calls",
    width: "56px",
    wide: true,
    render: ({ name }) => (
      <Link to="/calls" search={{ user: name }} className="text-accent hover:underline">
        Show
      </Link>
    ),
  },
];

export function UsersPage() {
  const { view = "users", user } = route.useSearch();
  const navigate = useNavigate();
  const mayManage = useMay("admin");
  const { data: config } = useOperation("config.show", {}, { enabled: mayManage });
  const hasPeople = config?.values.some(({ key }) => key.startsWith("auth.server.")) ?? false;
  const tabs = [
    { name: "users", title: "Users", content: <Users /> },
    { name: "keys", title: "Keys", content: <Keys user={user} /> },
    ...(hasPeople ? [{ name: "people", title: "People", content: <People /> }] : []),
  ];
  return (
    <Page title="Users and keys" about="Who may connect, and with which rights.">
      {mayManage ? (
        <Tabs
          label="Users and keys"
          tabs={tabs}
          value={tabs.some(({ name }) => name === view) ? view : "users"}
          onChange={(next) =>
            void navigate({ to: "/users", search: { view: next }, replace: true })
          }
        />
      ) : (
        <Empty title="Only admins can see this" />
      )}
    </Page>
  );
}

function Users() {
  const navigate = useNavigate();
  return (
    <QueryView query={useOperation("users.list", {})}>
      {({ users }) => (
        <DataTable
          label="Users"
          columns={columns}
          rows={users}
          keyOf={({ name }) => name}
          onOpen={({ name }) =>
            void navigate({ to: "/users", search: { view: "keys", user: name } })
          }
          empty={
            <Empty
              icon={User}
              title="No users are known"
              action={
                <Link
                  to="/users"
                  search={{ view: "keys" }}
                  className="text-sm text-accent hover:underline"
                >
                  Give a colleague a key
                </Link>
              }
            >
              On this machine you need no account. Users come with keys, with{" "}
              <code className="font-mono">users</code> of the configuration, or from your identity
              provider when they call.
            </Empty>
          }
        />
      )}
    </QueryView>
  );
}
