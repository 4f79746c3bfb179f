import type { AnswerOf } from "../../../../src/operations/operations.ts";

type Stats = AnswerOf<"stats">;
type Usage = AnswerOf<"calls.usage">;
type Call = Pick<AnswerOf<"calls.list">["calls"][number], "tool" | "conversation">;

export type ToolCost = { name: string; server: string; tokens: number; lastAt: string | null };

const dayMs = 24 * 3_600_000;

/** What each tool costs beside when it was used, the most expensive first. */
export function costsOf({ tools = [] }: Stats, usage: Usage | undefined): ToolCost[] {
  const lastCalls = new Map(usage?.tools.map(({ name, lastAt }) => [name, lastAt]));
  return tools.map(({ name, server, fullTokens }) => ({
    name,
    server,
    tokens: fullTokens,
    lastAt: lastCalls.get(name) ?? null,
  }));
}

/** Tools of servers that were not called in these days. Names in brackets are no servers: those tools are our own. */
export function unusedOf(costs: readonly ToolCost[], days: number, now: number): ToolCost[] {
  const cutoffMs = now - days * dayMs;
  return costs.filter(
    ({ server, lastAt }) =>
      !server.startsWith("(") && (lastAt === null || Date.parse(lastAt) < cutoffMs),
  );
}

/** Do the records reach back far enough to say what nobody calls? */
export function reachesBack(usage: Usage | undefined, days: number, now: number): boolean {
  return usage?.since != null && Date.parse(usage.since) <= now - days * dayMs;
}

/** What a conversation would have had in its context with lazy loading: the search tools, and what it called. */
export function lazyCostOf(calls: readonly Call[], { tools = [], lazy }: Stats) {
  const tokensByTool = new Map(tools.map(({ name, fullTokens }) => [name, fullTokens]));
  const conversations = Map.groupBy(
    calls.filter(({ conversation }) => conversation !== undefined),
    ({ conversation }) => conversation,
  );
  const costs = [...conversations.values()].map((conversationCalls) => {
    const calledTools = new Set(conversationCalls.map(({ tool }) => tool));
    return (
      lazy.metaTokens +
      [...calledTools].reduce((sum, tool) => sum + (tokensByTool.get(tool) ?? 0), 0)
    );
  });
  if (costs.length === 0) return null;
  return {
    conversations: costs.length,
    tokens: Math.round(costs.reduce((sum, cost) => sum + cost, 0) / costs.length),
  };
}
