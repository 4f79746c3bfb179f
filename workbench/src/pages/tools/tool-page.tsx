import { getRouteApi, Link } from "@tanstack/react-router";
import type { QualityReport } from "../../../../src/model/catalogue/quality-schema.ts";
import { useOperation } from "../../api/operations.ts";
import type { ToolAnswer } from "../../api/tool-queries.ts";
import { useMay } from "../../app/session.ts";
import { CodeView } from "../../parts/code-view.tsx";
import { RiskBadge, TroubleBadges } from "../../parts/effect-badge.tsx";
import { Pencil, Play } from "../../parts/icons.ts";
import { Page, Panel } from "../../parts/page.tsx";
import { QueryPage } from "../../parts/query-page.tsx";
import { Meter } from "../../parts/sparkline.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { VisibleText } from "../../parts/visible-text.tsx";
import { DefinitionReview } from "./definition-review.tsx";
import { Description } from "./description-text.tsx";
import { OverlayPanel } from "./overlay-panel.tsx";
import { QualityScore } from "./quality-score.tsx";
import { SchemaTable } from "./schema-table.tsx";
import { ToolFacts } from "./tool-facts.tsx";
import { ToolProviders } from "./tool-providers.tsx";

const route = getRouteApi("/tools/$name");

/** One tool. */
export function ToolPage() {
  const { name } = route.useParams();
  const query = useOperation("tools.get", { name });
  return (
    <QueryPage query={query} title={name} back={<AllTools />}>
      {(tool) => <ToolView tool={tool} />}
    </QueryPage>
  );
}

function AllTools() {
  return (
    <Link to="/tools" className="hover:underline">
      ← All tools
    </Link>
  );
}

const actionClass =
  "inline-flex h-8 items-center gap-1.5 rounded-md border px-3 text-sm font-medium whitespace-nowrap";
const secondaryClass = "border-line bg-surface hover:bg-sunken";

function ToolView({ tool }: { tool: ToolAnswer }) {
  const { name } = tool;
  const mayEdit = useMay("admin");
  return (
    <Page
      title={
        <>
          <span className="break-all font-mono text-lg">
            <VisibleText text={name} />
          </span>
          <RiskBadge tool={tool} />
          <TroubleBadges tool={tool} />
        </>
      }
      about={
        <>
          {tool.title !== undefined && (
            <p dir="auto" className="text-base font-medium text-ink">
              <VisibleText text={tool.title} />
            </p>
          )}
          <AllTools />
        </>
      }
      actions={
        <>
          {mayEdit && tool.id.server !== null && (
            <Link
              to="/tools/$name/edit"
              params={{ name }}
              className={`${actionClass} ${secondaryClass}`}
            >
              <Pencil aria-hidden className="size-4" /> Edit
            </Link>
          )}
          <Link
            to="/try"
            search={{ tool: name }}
            className={`${actionClass} ${tool.review?.held ? secondaryClass : "border-transparent bg-accent-fill text-white hover:brightness-110"}`}
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
            <Description text={tool.description} />
          </Panel>
          <Panel title="Arguments">
            <Tabs label="Arguments" tabs={schemaTabs(tool)} />
          </Panel>
          <OverlayPanel tool={tool} />
          <ToolProviders tool={tool} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <ToolFacts tool={tool} />
          <QualityPanel report={useOperation("tools.quality", { tool: name }).data?.tools[0]} />
        </div>
      </div>
    </Page>
  );
}

function schemaTabs({ parameters, outputSchema }: ToolAnswer) {
  const asText = (schema: unknown) => JSON.stringify(schema, null, 2);
  const tabs = [
    { name: "list", title: "List", content: <SchemaTable schema={parameters} /> },
    {
      name: "schema",
      title: "JSON Schema",
      content: <CodeView label="schema" text={asText(parameters)} />,
    },
  ];
  if (outputSchema === undefined) return tabs;
  return [
    ...tabs,
    {
      name: "output",
      title: "Result",
      content: <SchemaTable schema={outputSchema} empty="Nothing is said about the result." />,
    },
    {
      name: "output-schema",
      title: "Result schema",
      content: <CodeView label="result schema" text={asText(outputSchema)} />,
    },
  ];
}

/** The definition's quality score and its findings. */
function QualityPanel({ report }: { report: QualityReport["tools"][number] | undefined }) {
  if (report === undefined) return null;
  return (
    <Panel
      title="Quality of the definition"
      actions={
        <QualityScore {...report} complaints={report.checks.map(({ message }) => message)} />
      }
    >
      <Meter
        value={report.score / 100}
        label={`${report.score} of 100`}
        className={report.passed ? "fill-good" : "fill-bad"}
      />
      {!report.passed && (
        <p className="mt-2 text-xs text-bad">
          {report.held === null ? "Below the threshold." : "The tool is quarantined."}
        </p>
      )}
      {report.checks.length === 0 ? (
        <p className="mt-3 text-sm text-muted">No findings.</p>
      ) : (
        <ul className="mt-3 flex flex-col gap-2 text-sm">
          {report.checks.map(({ check, message, fix, penalty }) => (
            <li key={`${check} ${message}`}>
              <p className="break-words">
                {message} <span className="text-xs text-muted">−{penalty}</span>
              </p>
              <p className="break-words text-xs text-muted">{fix}</p>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
