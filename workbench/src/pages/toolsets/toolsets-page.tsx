import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useOperation } from "../../api/operations.ts";
import type { ToolsetEntry } from "../../api/queries.ts";
import { useMay } from "../../app/session.ts";
import { Button } from "../../parts/button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Package, Plus } from "../../parts/icons.ts";
import { Page } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { Personas } from "./personas.tsx";
import { ToolsetDialog } from "./toolset-dialog.tsx";

const route = getRouteApi("/toolsets");

const columns: readonly Column<ToolsetEntry>[] = [
  {
    title: "Toolset",
    width: "minmax(120px, 1fr)",
    render: ({ name }) => (
      <Link to="/toolsets/$name" params={{ name }} className="font-medium hover:underline">
        {name}
      </Link>
    ),
  },
  {
    title: "Servers",
    width: "minmax(120px, 2fr)",
    render: ({ providers }) => (
      <span title={providers.join(", ")}>{providers.join(", ") || "–"}</span>
    ),
  },
  {
    title: "Tools",
    width: "minmax(120px, 2fr)",
    wide: true,
    render: ({ allow_tools }) =>
      allow_tools === null ? (
        <span className="text-muted">all of its servers</span>
      ) : (
        <code className="font-mono text-xs">{allow_tools.join(", ") || "none"}</code>
      ),
  },
  {
    title: "Turns",
    width: "60px",
    align: "right",
    wide: true,
    render: ({ max_tool_call_turns }) => max_tool_call_turns ?? "–",
  },
];

export function ToolsetsPage() {
  const { view = "toolsets" } = route.useSearch();
  const navigate = useNavigate();
  const mayManage = useMay("admin");
  const [adding, setAdding] = useState(false);
  const tabs = [
    { name: "toolsets", title: "Toolsets", content: <Toolsets /> },
    {
      name: "personas",
      title: "Personas",
      content: mayManage ? <Personas /> : <Empty title="Only admins can see personas" />,
    },
  ];
  return (
    <Page
      title="Toolsets and personas"
      about="A toolset is a named selection of tools for an agent or a client; a persona has tools of its own."
      actions={
        <Button variant="primary" icon={Plus} disabled={!mayManage} onClick={() => setAdding(true)}>
          Add toolset
        </Button>
      }
    >
      <Tabs
        label="Toolsets and personas"
        tabs={tabs}
        value={tabs.some(({ name }) => name === view) ? view : "toolsets"}
        onChange={(next) =>
          void navigate({ to: "/toolsets", search: { view: next }, replace: true })
        }
      />
      {adding && <ToolsetDialog onClose={() => setAdding(false)} />}
    </Page>
  );
}

function Toolsets() {
  const navigate = useNavigate();
  return (
    <QueryView query={useOperation("toolsets.list", {})}>
      {({ toolsets }) => (
        <DataTable
          label="Toolsets"
          columns={columns}
          rows={toolsets}
          keyOf={({ name }) => name}
          onOpen={({ name }) => void navigate({ to: "/toolsets/$name", params: { name } })}
          empty={
            <Empty icon={Package} title="No toolsets yet">
              Without one, agents and clients have every tool that their caller may use. A small
              toolset costs fewer tokens and is chosen from more reliably.
            </Empty>
          }
        />
      )}
    </QueryView>
  );
}
