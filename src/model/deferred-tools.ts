import type { Tool } from "./tool.ts";
import { toolFormats } from "./tool-formats.ts";

type Deferring = {
  isDeferred(tool: Tool): boolean;
  /** What a server is for, where somebody has said so. */
  describeServer(server: string): string;
};

/**
 * What `tools` is in a request to a model whose API loads definitions by itself: all of them are sent, and those that
 * are deferred are in the model's context only once it has searched for them.
 */
export const deferredFormats = {
  anthropic: (tools, { isDeferred }) => [
    { type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" },
    ...toolFormats.anthropic(tools).map((definition, at) => ({
      ...definition,
      ...(isDeferred(tools[at] as Tool) ? { defer_loading: true } : {}),
    })),
  ],
  "openai-responses"(tools, { isDeferred, describeServer }) {
    const deferred = tools.filter(isDeferred);
    const lone = tools.filter((tool) => !isDeferred(tool) || tool.id.server === null);
    const groups = Map.groupBy(
      deferred.filter(({ id }) => id.server !== null),
      ({ id }) => namespaceOf(id.server as string),
    );
    return [
      { type: "tool_search" },
      ...lone.map((tool) => responsesFunction(tool, isDeferred(tool))),
      ...[...groups].map(([name, group]) => ({
        type: "namespace",
        name,
        description: describe(group[0]?.id.server as string),
        tools: group.map((tool) => responsesFunction(tool, true)),
      })),
    ];

    function describe(server: string): string {
      return describeServer(server) || `Tools of the MCP server '${server}'.`;
    }
  },
} as const satisfies Record<string, (tools: readonly Tool[], deferring: Deferring) => unknown>;

export function isDeferredFormat(name: string): name is keyof typeof deferredFormats {
  return Object.hasOwn(deferredFormats, name);
}

function responsesFunction(tool: Tool, isDeferred: boolean) {
  const [definition] = toolFormats["openai-responses"]([tool]);
  return { ...definition, ...(isDeferred ? { defer_loading: true } : {}) };
}

function namespaceOf(server: string): string {
  return server.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 64);
}
