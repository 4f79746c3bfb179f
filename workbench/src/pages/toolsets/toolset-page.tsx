import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type ToolsetAnswer, toolsetQuery } from "../../api/queries.ts";
import type { ToolRow } from "../../api/tool-queries.ts";
import { useServerChanges } from "../../app/session.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { CodeView } from "../../parts/code-view.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { RiskBadge } from "../../parts/effect-badge.tsx";
import { GrowingList } from "../../parts/growing-list.tsx";
import { Pencil, Trash2 } from "../../parts/icons.ts";
import { LongName } from "../../parts/long-name.tsx";
import { Facts, Page, Panel } from "../../parts/page.tsx";
import { QueryPage } from "../../parts/query-page.tsx";
import { Complaint, Empty } from "../../parts/states.tsx";
import { counted, renderCount } from "../../parts/time.tsx";
import { useRemoval } from "../../parts/use-removal.ts";
import { ToolsetDialog } from "./toolset-dialog.tsx";

const route = getRouteApi("/toolsets/$name");

const back = (
  <Link to="/toolsets" className="hover:underline">
    ← All toolsets
  </Link>
);

export function ToolsetPage() {
  const { name } = route.useParams();
  return (
    <QueryPage query={useQuery(toolsetQuery(name))} title={name} back={back}>
      {(toolset) => <ToolsetView toolset={toolset} />}
    </QueryPage>
  );
}

function ToolsetView({ toolset }: { toolset: ToolsetAnswer }) {
  const { name, tools, missing, callers } = toolset;
  const [editing, setEditing] = useState(false);
  const navigate = useNavigate();
  const mayChange = useServerChanges() === "allowed";
  const removal = useRemoval("toolsets", () => void navigate({ to: "/toolsets" }));
  return (
    <Page
      title={name}
      about={back}
      actions={
        <>
          <Button icon={Pencil} disabled={!mayChange} onClick={() => setEditing(true)}>
            Edit
          </Button>
          <Button
            icon={Trash2}
            disabled={!mayChange}
            busy={removal.isPending}
            onClick={() => removal.mutate([name])}
          >
            Remove
          </Button>
        </>
      }
    >
      {missing.length > 0 && (
        <Complaint error={`Not configured: ${missing.join(", ")}. Edit the toolset, or add it.`} />
      )}
      <div className="grid items-start gap-4 xl:grid-cols-[3fr_2fr]">
        <Panel flush title={`Tools you are given (${renderCount(tools.length)})`}>
          <div className="flex max-h-[70vh] min-h-40 flex-col [&>*]:rounded-none [&>*]:border-0 [&>*]:shadow-none">
            <DataTable
              label="Tools of the toolset"
              columns={columns}
              rows={tools}
              keyOf={({ name: tool }) => tool}
              empty={
                <Empty title="No tools">
                  Its servers have not listed yet, or nothing that they list is allowed.
                </Empty>
              }
            />
          </div>
        </Panel>
        <div className="flex min-w-0 flex-col gap-4">
          <Panel title="Toolset">
            <ToolsetFacts toolset={toolset} />
          </Panel>
          {callers && <Callers callers={callers} total={tools.length} />}
          <Panel title="Use it">
            <div className="flex flex-col gap-2">
              <CodeView
                label="address for MCP clients"
                text={`${location.origin}/mcp?toolset=${name}`}
              />
              <CodeView label="command" text={`toolplane agent --toolset ${name} "…"`} />
            </div>
          </Panel>
        </div>
      </div>
      {editing && <ToolsetDialog toolset={toolset} onClose={() => setEditing(false)} />}
    </Page>
  );
}

const columns: readonly Column<ToolRow>[] = [
  {
    title: "Tool",
    width: "minmax(140px, 3fr)",
    render: ({ name, description }) => (
      <Link
        to="/tools/$name"
        params={{ name }}
        title={description}
        className="font-mono text-xs font-medium hover:underline"
      >
        <LongName name={name} />
      </Link>
    ),
  },
  { title: "Risk", width: "88px", render: (tool) => <RiskBadge tool={tool} /> },
  {
    title: "Tokens",
    width: "64px",
    align: "right",
    render: ({ tokens }) =>
      tokens === null ? <span className="text-muted">…</span> : renderCount(tokens),
  },
];

function ToolsetFacts({ toolset }: { toolset: ToolsetAnswer }) {
  const { providers, allow_tools, max_tool_call_turns, timeout_sec, tokens } = toolset;
  return (
    <Facts
      items={[
        [
          "Servers",
          providers.map((server, at) => (
            <span key={server}>
              {at > 0 && ", "}
              <Link
                to="/servers/$name"
                params={{ name: server }}
                className="text-accent hover:underline"
              >
                {server}
              </Link>
            </span>
          )),
        ],
        [
          "Allowed",
          allow_tools === null ? "every tool of its servers" : allow_tools.join(", ") || "none",
        ],
        ["In context", tokens === null ? "counting …" : counted(tokens, "token")],
        [
          "Turns",
          max_tool_call_turns === null ? "the default of the run" : String(max_tool_call_turns),
        ],
        ["Timeout", timeout_sec === null ? "that of each tool" : `${timeout_sec} s for each call`],
      ]}
    />
  );
}

function Callers({
  callers,
  total,
}: {
  callers: NonNullable<ToolsetAnswer["callers"]>;
  total: number;
}) {
  if (callers.length === 0)
    return (
      <Panel title="Who may use it">
        <p className="text-sm text-muted">
          No users or keys are known: it is for the person at this machine. Others get what their
          groups and persona allow.
        </p>
      </Panel>
    );
  return (
    <Panel flush title="Who may use it">
      <GrowingList
        className="divide-y divide-line text-sm"
        atOnce={30}
        items={callers}
        keyOf={({ user, key }) => `${user} ${key}`}
      >
        {({ user, key, tools }) => (
          <div className="flex flex-wrap items-center gap-x-3 px-4 py-1.5">
            <span className="min-w-0 break-all">{user ?? "anonymous"}</span>
            {key !== null && <Badge>key {key}</Badge>}
            <span className="ml-auto tabular-nums text-muted">{renderShare(tools, total)}</span>
          </div>
        )}
      </GrowingList>
    </Panel>
  );
}

function renderShare(tools: number, total: number): string {
  if (tools === 0) return "none of its tools";
  return tools === total ? counted(tools, "tool") : `${tools} of ${total} tools`;
}
