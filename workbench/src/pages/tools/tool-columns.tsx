import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { CallAnswer, ToolAnswer } from "../../api/answers.ts";
import { lastCallsQuery, qualityQuery, toolCostsQuery, toolPagesQuery } from "../../api/tool-queries.ts";
import type { Column } from "../../parts/data-table.tsx";
import { EffectBadge, TroubleBadges } from "../../parts/effect-badge.tsx";
import { renderCount } from "../../parts/time.tsx";
import { HealthLine } from "./health-line.tsx";
import { QualityScore } from "./quality-score.tsx";

/** Of more tools than this nobody asks at once what each is worth: the plane has other things to do. */
const mostAtOnce = 2_000;

/** The columns of the list, with what is known of all tools of a server, or of all. */
export function useToolColumns(server: string | undefined): Column<ToolAnswer>[] {
  const all = useInfiniteQuery(toolPagesQuery(server === undefined ? {} : { server })).data?.pages[0]?.total;
  const enabled = all !== undefined && all <= mostAtOnce;
  const quality = useQuery({ ...qualityQuery(server), enabled }).data;
  const stats = useQuery({ ...toolCostsQuery(server), enabled }).data;
  const calls = useQuery(lastCallsQuery()).data;
  const scores = useMemo(() => new Map(quality?.tools.map((tool) => [tool.name, tool])), [quality]);
  const costs = useMemo(() => new Map(stats?.tools?.map((tool) => [tool.name, tool.fullTokens])), [stats]);
  const byTool = useMemo(
    () => Map.groupBy((calls?.calls ?? []) as CallAnswer[], ({ tool }) => tool),
    [calls],
  );
  return [
    { title: "Tool", width: "minmax(180px, 3fr)", render: (tool) => <ToolName tool={tool} /> },
    {
      title: "Server",
      width: "minmax(80px, 1fr)",
      wide: true,
      render: ({ id, source }) => <span className="text-muted">{id.server ?? source.split("/").at(-1)}</span>,
    },
    { title: "Side effects", width: "110px", render: (tool) => <EffectBadge effect={tool.side_effects} /> },
    {
      title: "Quality",
      width: "64px",
      align: "right",
      wide: true,
      render: ({ name }) => <QualityScore report={scores.get(name)} />,
    },
    {
      title: "Health",
      width: "150px",
      wide: true,
      render: (tool) => <HealthLine health={tool.health} calls={byTool.get(tool.name) ?? []} />,
    },
    {
      title: "Tokens",
      width: "64px",
      align: "right",
      wide: true,
      render: ({ name }) => {
        const cost = costs.get(name);
        return cost === undefined ? <span className="text-muted">–</span> : renderCount(cost);
      },
    },
  ];
}

function ToolName({ tool }: { tool: ToolAnswer }) {
  return (
    <div className="min-w-0">
      <div className="flex min-w-0 items-center gap-2">
        <Link
          to="/tools/$name"
          params={{ name: tool.name }}
          className="truncate font-mono text-[12.5px] hover:underline"
        >
          {tool.name}
        </Link>
        <TroubleBadges tool={tool} />
      </div>
      <div className="truncate text-xs text-muted">{tool.description}</div>
    </div>
  );
}
