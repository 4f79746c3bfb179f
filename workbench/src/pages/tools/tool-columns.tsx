import { useNavigate } from "@tanstack/react-router";
import type { ToolRow } from "../../api/answers.ts";
import type { Column } from "../../parts/data-table.tsx";
import { EffectBadge, TroubleBadges } from "../../parts/effect-badge.tsx";
import { renderCount } from "../../parts/time.tsx";
import { HealthLine } from "./health-line.tsx";
import { QualityScore } from "./quality-score.tsx";

export const toolColumns: readonly Column<ToolRow>[] = [
  { title: "Tool", width: "minmax(180px, 3fr)", render: (tool) => <ToolName tool={tool} /> },
  {
    title: "Server",
    width: "minmax(80px, 1fr)",
    wide: true,
    render: ({ server, source }) => <span className="text-muted">{server ?? source.split("/").at(-1)}</span>,
  },
  { title: "Side effects", width: "110px", render: (tool) => <EffectBadge effect={tool.side_effects} /> },
  {
    title: "Quality",
    width: "64px",
    align: "right",
    wide: true,
    render: ({ quality }) => <QualityScore {...quality} />,
  },
  { title: "Health", width: "150px", wide: true, render: ({ health }) => <HealthLine health={health} /> },
  {
    title: "Tokens",
    width: "64px",
    align: "right",
    wide: true,
    render: ({ tokens }) => (tokens === null ? <span className="text-muted">…</span> : renderCount(tokens)),
  },
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
      className="truncate font-mono text-[12.5px] hover:underline"
    >
      {name}
    </a>
  );
}

function ToolName({ tool }: { tool: ToolRow }) {
  return (
    <div className="min-w-0">
      <div className="flex min-w-0 items-center gap-2">
        <ToolLink name={tool.name} />
        <TroubleBadges tool={tool} />
      </div>
      <div className="truncate text-xs text-muted">{tool.description}</div>
    </div>
  );
}
