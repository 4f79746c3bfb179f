import { matchesGlob } from "../../lib/text/glob.ts";
import { metaTools } from "../../model/catalogue/meta-tools.ts";
import type { ContextCost, ContextStats, ToolContext } from "../../model/catalogue/quality.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import { alwaysLoaded } from "../../model/catalogue/tool-name.ts";
import type { ConfigValues } from "../../model/config/config.ts";
import { loadTokenCounter, tokenizer } from "./count-tokens.ts";
import { countDefinitions, maxTokens } from "./definition-cost.ts";

type Lazy = ConfigValues["lazy"];

/** No definition has so long words that a tokenizer has to be loaded to know that there are more. */
const maxBytesPerToken = 12;

/** What the definitions of these tools cost, by server, dearest first. */
export async function countContext(tools: readonly Tool[], lazy: Lazy, withTools: boolean): Promise<ContextStats> {
  const costs = await countDefinitions(tools, lazy.summaryDescriptionLimit);
  const always = alwaysLoaded(tools, lazy.alwaysLoadTools, matchesGlob);
  const each = tools.map((tool, at): ToolContext => {
    const { fullTokens = 0, summaryTokens = 0 } = costs[at] ?? {};
    const loadedTokens = always.has(tool) ? fullTokens : 0;
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
  const metaTokens = (await loadTokenCounter())(JSON.stringify(metaTools));
  const totals = { tools: tools.length, ...withMeta(sumOf(each), metaTokens) };
  const { mode, thresholdTokens } = lazy;
  const isActive = mode === "always" || (mode === "auto" && totals.fullTokens > thresholdTokens);
  return {
    tokenizer,
    servers,
    totals,
    lazy: { mode, thresholdTokens, isActive, metaTokens },
    ...(withTools ? { tools: each } : {}),
  };
}

/** Counts no further than it has to. */
export async function isAboveThreshold(tools: readonly Tool[], { mode, ...lazy }: Lazy): Promise<boolean> {
  if (mode !== "auto") return mode === "always";
  const most = maxTokens(tools);
  if (most <= lazy.thresholdTokens) return false;
  if (most > lazy.thresholdTokens * maxBytesPerToken) return true;
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

/** Whoever has not all definitions has the tools that find the others. */
function withMeta(sum: ContextCost, metaTokens: number): ContextCost {
  const sums = { ...sum, loadedTokens: sum.loadedTokens + metaTokens };
  return { ...sums, savedPercent: Math.max(0, saved(sums)) };
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
