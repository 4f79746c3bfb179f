import type { JsonObject } from "../json.ts";
import type { Tool } from "./tool.ts";

/** Shown instead of all definitions where these are loaded on demand. */
export const metaToolNames = {
  search: "mcp_tool_search",
  list: "mcp_tool_list",
  call: "call_tool",
  stats: "mcp_context_stats",
} as const;

type MetaTool = {
  name: string;
  description: string;
  inputSchema: JsonObject;
  annotations?: Tool["annotations"];
};

const annotations = { readOnlyHint: true };

/** Every word of these is in the context of every client, so there are few. */
export const metaTools: readonly MetaTool[] = [
  {
    name: metaToolNames.search,
    description:
      "Finds tools by what they do and loads the best. Ask for one capability at a time: the action and its object, with other words for them ('create an issue, report a bug'). 'select:NAME,NAME' loads by name.",
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string" },
        regex: { type: "boolean", description: "query is a pattern" },
        limit: { type: "integer" },
        server: { type: "string", description: "only this server; globs work" },
      },
      required: ["query"],
    },
    annotations,
  },
  {
    name: metaToolNames.list,
    description: "Lists the tools of a server in short; without one, all servers.",
    inputSchema: { type: "object", properties: { server: { type: "string" } } },
    annotations,
  },
  {
    name: metaToolNames.call,
    description: "Calls any tool by the name that a search or list gave, loaded or not.",
    inputSchema: {
      type: "object",
      properties: { name: { type: "string" }, arguments: { type: "object" } },
      required: ["name"],
    },
  },
];

/** With those that are not listed: a client that knows them calls them, and the others do not pay for them. */
export const allMetaTools: readonly MetaTool[] = [
  ...metaTools,
  {
    name: metaToolNames.stats,
    description: "Tokens that the definitions of each server's tools take, whole and in short.",
    inputSchema: { type: "object", properties: {} },
    annotations,
  },
];

const names: ReadonlySet<unknown> = new Set(allMetaTools.map(({ name }) => name));

export function isMetaTool(name: unknown): name is string {
  return names.has(name);
}
