import { passesFilter } from "../lib/glob.ts";
import type { ConfigValues } from "../model/config.ts";
import type { ContextCost, ContextStats, ToolContext } from "../model/context-stats.ts";
import type { Tool } from "../model/tool.ts";
import { tokenizer } from "./count-tokens.ts";
import { countDefinitions, mostTokens } from "./definition-cost.ts";

type Lazy = ConfigValues["lazy"];

/** What the definitions of these tools cost, by server, dearest first. */
export async function countContext(
  tools: readonly Tool[],
  lazy: Lazy,
  withTools: boolean,
): Promise<ContextStats> {
  const costs = await countDefinitions(tools, lazy.summaryDescriptionLimit);
  const each = tools.map((tool, at): ToolContext => {
    const { fullTokens = 0, summaryTokens = 0 } = costs[at] ?? {};
    const loadedTokens = isAlwaysLoaded(tool, lazy) ? fullTokens : 0;
    const cost = { fullTokens, summaryTokens, loadedTokens };
    return { name: tool.name, server: serverOf(tool), ...cost, savedPercent: saved(cost) };
  });
  each.sort((a, b) => b.fullTokens - a.fullTokens);
  const servers = [...Map.groupBy(each, ({ server }) => server)].map(([name, group]) => ({
    name,
    tools: group.length,
    ...sumOf(group),
  }));
  servers.sort((a, b) => b.fullTokens - a.fullTokens);
  const totals = { tools: tools.length, ...sumOf(each) };
  const { mode, thresholdTokens } = lazy;
  const isActive = mode === "always" || (mode === "auto" && totals.fullTokens > thresholdTokens);
  return {
    tokenizer,
    servers,
    totals,
    lazy: { mode, thresholdTokens, isActive },
    ...(withTools ? { tools: each } : {}),
  };
}

/** Counts no further than it has to. */
export async function isAboveThreshold(tools: readonly Tool[], { mode, ...lazy }: Lazy): Promise<boolean> {
  if (mode !== "auto") return mode === "always";
  if (mostTokens(tools) <= lazy.thresholdTokens) return false;
  let isAbove = false;
  await countDefinitions(tools, lazy.summaryDescriptionLimit, (sum) => {
    isAbove = sum > lazy.thresholdTokens;
    return isAbove;
  });
  return isAbove;
}

/** Our own tools are how the others are found. */
function isAlwaysLoaded({ name, modelName, id, source }: Tool, { alwaysLoadTools }: Lazy): boolean {
  return (
    source === "builtin" || [name, modelName, id.tool].some((one) => passesFilter(one, alwaysLoadTools, null))
  );
}

function serverOf({ id, source }: Tool): string {
  if (id.server !== null) return id.server;
  return source === "builtin" ? "(built in)" : "(hand-written)";
}

function sumOf(costs: readonly Omit<ContextCost, "savedPercent">[]): ContextCost {
  const total = (key: "fullTokens" | "summaryTokens" | "loadedTokens") =>
    costs.reduce((sum, cost) => sum + cost[key], 0);
  const sums = {
    fullTokens: total("fullTokens"),
    summaryTokens: total("summaryTokens"),
    loadedTokens: total("loadedTokens"),
  };
  return { ...sums, savedPercent: saved(sums) };
}

/** To a tenth of a percent. */
function saved({ fullTokens, loadedTokens }: Pick<ContextCost, "fullTokens" | "loadedTokens">): number {
  if (fullTokens === 0) return 0;
  return Math.round((1 - loadedTokens / fullTokens) * 1_000) / 10;
}
