import { matchesGlob } from "../../lib/text/glob.ts";
import { metaTools } from "../../model/catalogue/meta-tools.ts";
import type {
  ContextCost,
  ContextStats,
  ToolContext,
} from "../../model/catalogue/quality-schema.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import { alwaysLoaded } from "../../model/catalogue/tool-name.ts";
import type { ConfigValues } from "../../model/config/config.ts";
import { countDefinitions, loadTokenCounter, maxTokens, tokenizer } from "./definition-cost.ts";

type Lazy = ConfigValues["lazy"];

/** Tokens of definitions are shorter than this, so larger catalogues need no tokenizer. */
const maxBytesPerToken = 12;

/** Token cost of the definitions by server, most expensive first. */
export async function countContext(
  tools: readonly Tool[],
  lazy: Lazy,
  withTools: boolean,
): Promise<ContextStats> {
  const costs = await countDefinitions(tools, lazy.summaryDescriptionLimit);
  const alwaysLoadedTools = alwaysLoaded(tools, lazy.alwaysLoadTools, matchesGlob);
  const toolContexts = tools.map((tool, index): ToolContext => {
    const { fullTokens = 0, summaryTokens = 0 } = costs[index] ?? {};
    const loadedTokens = alwaysLoadedTools.has(tool) ? fullTokens : 0;
    const cost = { fullTokens, summaryTokens, loadedTokens };
    return { name: tool.name, server: serverOf(tool), ...cost, savedPercent: savedPercent(cost) };
  });
  toolContexts.sort((a, b) => b.fullTokens - a.fullTokens);
  const servers = [...Map.groupBy(toolContexts, ({ server }) => server)].map(([name, group]) => ({
    name,
    tools: group.length,
    ...sumOf(group),
  }));
  servers.sort((a, b) => b.fullTokens - a.fullTokens);
  const metaTokens = (await loadTokenCounter())(JSON.stringify(metaTools));
  const totals = { tools: tools.length, ...withMeta(sumOf(toolContexts), metaTokens) };
  const { mode, thresholdTokens } = lazy;
  const isActive = mode === "always" || (mode === "auto" && totals.fullTokens > thresholdTokens);
  const stats = {
    tokenizer,
    servers,
    totals,
    lazy: { mode, thresholdTokens, isActive, metaTokens },
  };
  return withTools ? { ...stats, tools: toolContexts } : stats;
}

/** Counts no further than the threshold. */
export async function isAboveThreshold(
  tools: readonly Tool[],
  { mode, ...lazy }: Lazy,
): Promise<boolean> {
  if (mode !== "auto") return mode === "always";
  const upperBound = maxTokens(tools);
  if (upperBound <= lazy.thresholdTokens) return false;
  if (upperBound > lazy.thresholdTokens * maxBytesPerToken) return true;
  let isAbove = false;
  await countDefinitions(tools, lazy.summaryDescriptionLimit, (sum) => {
    isAbove = sum > lazy.thresholdTokens;
    return isAbove;
  });
  return isAbove;
}

function serverOf({ id, source }: Tool): string {
  if (id.server !== null) return id.server;
  return source === "builtin" ? "(built in)" : "(hand-written)";
}

/** A client without all definitions has the meta tools. */
function withMeta(sum: ContextCost, metaTokens: number): ContextCost {
  const sums = { ...sum, loadedTokens: sum.loadedTokens + metaTokens };
  return { ...sums, savedPercent: Math.max(0, savedPercent(sums)) };
}

function sumOf(costs: readonly Omit<ContextCost, "savedPercent">[]): ContextCost {
  const sums = { fullTokens: 0, summaryTokens: 0, loadedTokens: 0 };
  for (const { fullTokens, summaryTokens, loadedTokens } of costs) {
    sums.fullTokens += fullTokens;
    sums.summaryTokens += summaryTokens;
    sums.loadedTokens += loadedTokens;
  }
  return { ...sums, savedPercent: savedPercent(sums) };
}

function savedPercent({
  fullTokens,
  loadedTokens,
}: Pick<ContextCost, "fullTokens" | "loadedTokens">): number {
  if (fullTokens === 0) return 0;
  return Math.round((1 - loadedTokens / fullTokens) * 1_000) / 10;
}
