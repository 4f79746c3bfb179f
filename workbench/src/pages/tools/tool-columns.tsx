import { useNavigate } from "@tanstack/react-router";
import type { ToolRow } from "../../api/tool-queries.ts";
import { Badge } from "../../parts/badge.tsx";
import type { Column } from "../../parts/data-table.tsx";
import { RiskBadge, TroubleBadges } from "../../parts/effect-badge.tsx";
import { LongName } from "../../parts/long-name.tsx";
import { renderCount, renderDuration } from "../../parts/time.tsx";
import { HealthLine } from "./health-line.tsx";
import { QualityScore } from "./quality-score.tsx";

export const toolColumns: readonly Column<ToolRow>[] = [
  {
    title: "Tool",
    sort: "name",
    width: "minmax(160px, 3fr)",
    render: (tool) => <ToolName tool={tool} />,
  },
  {
    title: "Server",
    sort: "server",
    width: "minmax(80px, 1fr)",
    wide: true,
    render: ({ server, source }) => (
      <span className="text-muted">{server ?? source.split("/").at(-1)}</span>
    ),
  },
  { title: "Risk", sort: "impact", width: "88px", render: (tool) => <RiskBadge tool={tool} /> },
  {
    title: "Quality",
    sort: "quality",
    width: "64px",
    align: "right",
    wide: true,
    render: ({ quality }) => <QualityScore {...quality} />,
  },
  {
    title: "Health",
    sort: "health",
    width: "150px",
    wide: true,
    render: ({ health }) => <HealthLine health={health} />,
  },
  {
    title: "p95",
    sort: "latency",
    width: "64px",
    align: "right",
    wide: true,
    render: ({ health }) => (health.total === 0 ? "–" : renderDuration(health.p95_latency_ms)),
  },
  {
    title: "Tokens",
    sort: "tokens",
    width: "64px",
    align: "right",
    wide: true,
    render: ({ tokens }) =>
      tokens === null ? <span className="text-muted">…</span> : renderCount(tokens),
  },
];

type Selection = {
  isChosen: (name: string) => boolean;
  isAll: boolean;
  onToggle: (name: string) => void;
  onAll: () => void;
};

/** The columns with a box to select each tool. */
export const withSelection = ({
  isChosen,
  isAll,
  onToggle,
  onAll,
}: Selection): readonly Column<ToolRow>[] => [
  {
    title: "Selected",
    width: "24px",
    head: (
      <input
        type="checkbox"
        className="size-4 max-md:size-6"
        aria-label="Select all that are shown"
        checked={isAll}
        onChange={onAll}
      />
    ),
    render: ({ name }) => (
      <input
        type="checkbox"
        className="size-4 max-md:size-6"
        aria-label={`Select ${name}`}
        checked={isChosen(name)}
        onChange={() => onToggle(name)}
      />
    ),
  },
  ...toolColumns,
];

/** A plain link: thousands of router links would re-render on every address change. */
function ToolLink({ name }: { name: string }) {
  const navigate = useNavigate();
  return (
    <a
      href={`/workbench/tools/${encodeURIComponent(name)}`}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        void navigate({ to: "/tools/$name", params: { name } });
      }}
      className="truncate font-mono text-xs font-medium hover:underline"
    >
      <LongName name={name} />
    </a>
  );
}

function ToolName({ tool }: { tool: ToolRow }) {
  return (
    <div className="min-w-0">
      <div className="flex min-w-0 items-center gap-2">
        <ToolLink name={tool.name} />
        <TroubleBadges tool={tool} />
        {tool.overlaid && (
          <Badge title="An overlay stands on top of the server's definition.">overlay</Badge>
        )}
      </div>
      <div dir="auto" className="truncate text-xs text-muted">
        {tool.description}
      </div>
    </div>
  );
}
