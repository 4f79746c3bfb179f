import type { Recommendation } from "../../model/catalogue/search.ts";
import type { Hit } from "./hit.ts";
import { requiredOf, summarize } from "./summarize.ts";

/** What fits much worse than the best is no help for the task. */
const worthIt = 0.35;

/** Of the tools that fit a task, those that are worth having at hand, and the servers they are on. */
export function recommend(
  task: string,
  hits: readonly Hit[],
  { limit, summaryLimit }: { limit: number; summaryLimit: number },
): Recommendation {
  const least = (hits[0]?.score ?? 0) * worthIt;
  const chosen = hits.filter(({ score }) => score > 0 && score >= least).slice(0, limit);
  const tools = chosen.map(({ tool, score }) => ({
    name: tool.name,
    server: tool.id.server,
    summary: summarize(tool.description, summaryLimit),
    score: round(score),
    required: requiredOf(tool),
  }));
  const byServer = Map.groupBy(
    chosen.filter(({ tool }) => tool.id.server !== null),
    ({ tool }) => tool.id.server as string,
  );
  const servers = [...byServer].map(([name, group]) => ({
    name,
    // Several tools that fit speak for a server more than one does, and never for more than everything.
    score: round(1 - group.reduce((left, { score }) => left * (1 - Math.min(1, score)), 1)),
    tools: group.length,
  }));
  servers.sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
  return { task, servers, tools };
}

function round(score: number): number {
  return Number(Math.min(1, score).toFixed(3));
}
