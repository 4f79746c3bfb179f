import type { JsonObject } from "../json.ts";
import type { Tool } from "./tool.ts";

/** Shown instead of all definitions where these are loaded on demand. */
export const metaToolNames = {
  search: "mcp_tool_search",
  list: "mcp_tool_list",
  call: "call_tool",
  stats: "mcp_context_stats",
} as const;

/** Shown instead of all others in code mode. */
export const codeToolNames = { search: "search_tools", run: "run_code" } as const;

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

/** In code mode: what there is, and a program that calls it. */
export const codeTools: readonly MetaTool[] = [
  {
    name: codeToolNames.search,
    description:
      "Finds tools by what they do; answers with their TypeScript declarations. Ask for one capability at a time: the action and its object.",
    inputSchema: {
      type: "object",
      properties: { query: { type: "string" }, limit: { type: "integer" } },
      required: ["query"],
    },
    annotations,
  },
  {
    name: codeToolNames.run,
    description:
      "Runs a TypeScript program that calls tools: `const a = await tools.server.tool({ ... }); return a.name;`. Top-level await and return; calls in a row or with Promise.all. You see only what is returned or written to console, so filter and sum up there. Also there: search(query), sleep(ms), store.get/set(key) across programs. A tool's error throws ToolError. No network, files or imports. 'resume' goes on with a run that waited for an approval.",
    inputSchema: {
      type: "object",
      properties: {
        code: { type: "string" },
        resume: { type: "string", description: "id of a run, instead of code" },
      },
    },
  },
];

const names: ReadonlySet<unknown> = new Set(allMetaTools.map(({ name }) => name));
const codeNames: ReadonlySet<unknown> = new Set(codeTools.map(({ name }) => name));

const ownNames: ReadonlySet<unknown> = names.union(codeNames);

/** Has it a name that means one of ours in some mode? */
export function isOwnName(name: unknown): boolean {
  return ownNames.has(name);
}

export function isCodeTool(name: unknown): name is string {
  return codeNames.has(name);
}

export function isMetaTool(name: unknown): name is string {
  return names.has(name);
}
