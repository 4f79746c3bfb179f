import { startGateway } from "../fixtures/conformance/start-gateway.ts";
import { EraClient, type EraOptions } from "../fixtures/era-client.ts";
import { readSse } from "../fixtures/read-sse.ts";
import type { JsonObject, Message } from "../fixtures/servers/support/messages.ts";
import { fixture, type ServerEntry } from "./support.ts";

export const metaNames = ["mcp_tool_search", "mcp_tool_list", "call_tool"];
export const listChanged = "notifications/tools/list_changed";

export type Found = {
  query: string;
  tools: {
    name: string;
    server: string;
    required: string[];
    arguments: string;
    inputSchema?: JsonObject;
  }[];
  next: string[];
  total: number;
  truncated: boolean;
  totalAvailable: number;
  autoLoaded: boolean;
  message: string;
};

/** A plane whose MCP clients load what they need. */
export function startLazy(
  servers: Record<string, ServerEntry> = { one: fixture("echo"), my_server: fixture("resources") },
  more: { lazy?: object; [key: string]: unknown } = {},
  plane: object = {},
) {
  const { lazy, ...config } = more;
  return startGateway(
    {},
    {
      plane: {
        config: { mcpServers: servers, lazy: { mode: "always", ...lazy }, ...config },
        ...plane,
      },
    },
  );
}

/** A client with what a model does with one. */
export async function openClient(
  url: string,
  era: "legacy" | "modern" = "legacy",
  options: EraOptions = {},
) {
  const client = await EraClient.open(url, era, options);
  const names = async (): Promise<string[]> => {
    const { tools } = await client.request("tools/list");
    return (tools as { name: string }[]).map(({ name }) => name);
  };
  return {
    client,
    names,
    loaded: async () => (await names()).filter((name) => !metaNames.includes(name)),
    async search(query: string, more: JsonObject = {}) {
      const params = { name: "mcp_tool_search", arguments: { query, ...more } };
      const { reply, notifications } = await client.exchange("tools/call", params);
      const { structuredContent, content, isError } = reply.result as JsonObject;
      return {
        ...(structuredContent as unknown as Found),
        text: textOf(content),
        isError: isError === true,
        changes: notifications.filter(({ method }) => method === listChanged).length,
      };
    },
    async call(name: string, args: JsonObject = {}) {
      const result = await client.call(name, args);
      return { text: textOf(result.content), isError: result.isError === true, result };
    },
  };
}

function textOf(content: unknown): string {
  return (content as { text?: string }[]).map(({ text }) => text ?? "").join("\n");
}

/** The stream on which a session gets what belongs to no request. */
export async function hear(url: string, client: EraClient) {
  const left = new AbortController();
  const response = await fetch(url, { headers: client.headersFor(), signal: left.signal });
  const heard: Message[] = [];
  const ended = readSse(response, (one) => heard.push(one)).catch(() => undefined);
  return {
    heard,
    async leave() {
      left.abort();
      await ended;
    },
  };
}
