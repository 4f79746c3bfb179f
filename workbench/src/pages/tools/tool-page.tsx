import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Pencil, Play } from "lucide-react";
import type { ReactNode } from "react";
import type { ToolAnswer } from "../../api/answers.ts";
import { toolQuery } from "../../api/queries.ts";
import { toolCostQuery, toolQualityQuery } from "../../api/tool-queries.ts";
import { Badge } from "../../parts/badge.tsx";
import { CodeView, CopyButton } from "../../parts/code-view.tsx";
import { EffectBadge, HintBadges, TroubleBadges } from "../../parts/effect-badge.tsx";
import { Facts, Page, Panel } from "../../parts/page.tsx";
import { QueryView } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { renderCount } from "../../parts/time.tsx";
import { DefinitionReview } from "./definition-review.tsx";
import { HealthLine } from "./health-line.tsx";
import { QualityPanel } from "./quality-panel.tsx";
import { SchemaTable } from "./schema-table.tsx";
import { ToolProviders } from "./tool-providers.tsx";

const route = getRouteApi("/tools/$name");

/** All there is to know about one tool. */
export function ToolPage() {
  const { name } = route.useParams();
  const query = useQuery(toolQuery(name));
  return <QueryView query={query}>{(tool) => <ToolView tool={tool} />}</QueryView>;
}

const action =
  "inline-flex h-8 items-center gap-1.5 rounded-md border px-3 text-[13px] font-medium whitespace-nowrap";

function ToolView({ tool }: { tool: ToolAnswer }) {
  const { name } = tool;
  return (
    <Page
      title={
        <>
          <span className="break-all font-mono text-lg">{name}</span>
          <EffectBadge effect={tool.side_effects} />
          <TroubleBadges tool={tool} />
        </>
      }
      about={tool.title}
      actions={
        <>
          {tool.id.server !== null && (
            <Link
              to="/tools/$name/edit"
              params={{ name }}
              className={`${action} border-line bg-surface hover:bg-sunken`}
            >
              <Pencil aria-hidden className="size-4" /> Edit
            </Link>
          )}
          <Link
            to="/try"
            search={{ tool: name }}
            className={`${action} border-transparent bg-accent-fill text-white hover:brightness-110`}
          >
            <Play aria-hidden className="size-4" /> Try
          </Link>
        </>
      }
    >
      <DefinitionReview tool={tool} />
      <div className="grid gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <div className="flex min-w-0 flex-col gap-4">
          <Panel title="Description">
            <p className="whitespace-pre-wrap break-words text-[13px]">{tool.description}</p>
          </Panel>
          <Panel title="Arguments">
            <Tabs label="Arguments" tabs={schemaTabs(tool)} />
          </Panel>
          <ToolProviders tool={tool} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <ToolFacts tool={tool} />
          <QualityPanel report={useQuery(toolQualityQuery(name)).data?.tools[0]} />
        </div>
      </div>
    </Page>
  );
}

function schemaTabs({ parameters, outputSchema }: ToolAnswer) {
  const asText = (schema: unknown) => JSON.stringify(schema, null, 2);
  return [
    { name: "list", title: "What a caller sets", content: <SchemaTable schema={parameters} /> },
    { name: "schema", title: "JSON Schema", content: <CodeView label="schema" text={asText(parameters)} /> },
    ...(outputSchema === undefined
      ? []
      : [
          {
            name: "output",
            title: "Result",
            content: <CodeView label="result schema" text={asText(outputSchema)} />,
          },
        ]),
  ];
}

function ToolFacts({ tool }: { tool: ToolAnswer }) {
  const { name, id, health, settings } = tool;
  const cost = useQuery(toolCostQuery(name)).data?.tools?.[0];
  const list = (names: readonly string[]) => (names.length === 0 ? null : <Words words={names} />);
  const items: [string, ReactNode][] = [
    ["Health", <HealthLine key="health" health={health} />],
    ["Tokens", cost && `${renderCount(cost.fullTokens)}, ${renderCount(cost.summaryTokens)} in short`],
    [
      "Server",
      id.server && (
        <Link to="/servers/$name" params={{ name: id.server }} className="text-accent hover:underline">
          {id.server}
        </Link>
      ),
    ],
    [
      "For models",
      <span key="model" className="flex items-center font-mono text-xs break-all">
        {tool.modelName}
        <CopyButton text={tool.modelName} label="Copy the name" />
      </span>,
    ],
    [
      "Source",
      <span key="source" className="break-all">
        {tool.source}
      </span>,
    ],
    ["Version", tool.version],
    ["Safety level", tool.safety_level],
    ["Consent", tool.requires_consent ? `asked for (${settings.consent})` : null],
    [
      "Hints",
      <span key="hints" className="flex flex-wrap gap-1">
        <HintBadges tool={tool} />
      </span>,
    ],
    ["Capabilities", list(tool.capabilities)],
    ["Groups", list(settings.groups)],
    ["Timeout", tool.default_timeout === null ? null : `${tool.default_timeout} s`],
    [
      "Variables",
      list(
        Object.entries(tool.credentials).map(
          ([key, { configured }]) => `${key} ${configured ? "is set" : "is missing"}`,
        ),
      ),
    ],
    ["Cost", tool.cost_per_call === null ? null : `${tool.cost_per_call} ${tool.cost_unit ?? ""}`],
    ["Persona", tool.persona],
  ];
  return (
    <Panel
      title="In short"
      actions={
        <Link to="/calls" search={{ tool: name }} className="text-xs text-accent hover:underline">
          Calls
        </Link>
      }
    >
      <Facts items={items} />
      {tool.unavailable !== null && (
        <p className="mt-3 rounded-md bg-warn-soft px-3 py-2 text-[13px] text-warn">{tool.unavailable}</p>
      )}
    </Panel>
  );
}

function Words({ words }: { words: readonly string[] }) {
  return (
    <span className="flex flex-wrap gap-1">
      {words.map((word) => (
        <Badge key={word}>{word}</Badge>
      ))}
    </span>
  );
}
