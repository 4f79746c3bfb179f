import { ownField } from "../lib/json/plain-data.ts";
import { errorText } from "../lib/text/error-text.ts";
import type { JsonObject } from "../model/json.ts";
import { legacyVersions, modernVersion } from "../protocol/session.ts";
import type { MemoryMessage, MemoryServer, MemoryTransport } from "../servers/servers.ts";

/** A tool of a test: a schema and a function. */
export type TestTool = {
  description?: string;
  /** A JSON Schema. Default: any object. */
  inputSchema?: JsonObject;
  outputSchema?: JsonObject;
  annotations?: JsonObject;
  /**
   * Returns a text, an object (the structured content) or a whole result with `content`. What it throws is a result with
   * `isError`, as tools report failures.
   */
  run(args: JsonObject): unknown;
};

export type TestToolServer = MemoryServer & {
  /** The calls that arrived, in order. */
  readonly calls: readonly { tool: string; arguments: JsonObject }[];
};

/**
 * A small MCP server of tools, for `inMemory`. It speaks both protocol eras.
 *
 * @example
 * const weather = toolServer({ forecast: { run: ({ city }) => `Rain in ${city}` } });
 * await using plane = await createPlane({ servers: { weather: inMemory(weather) } });
 * await plane.call("weather.forecast", { city: "Rome" });
 * assert.deepEqual(weather.calls, [{ tool: "forecast", arguments: { city: "Rome" } }]);
 */
export function toolServer(
  tools: Readonly<Record<string, TestTool>>,
  name = "test",
): TestToolServer {
  const calls: { tool: string; arguments: JsonObject }[] = [];
  const listed = Object.entries(tools).map(
    ([tool, { run: _, inputSchema = { type: "object" }, ...declaration }]) => ({
      name: tool,
      inputSchema,
      ...declaration,
    }),
  );
  const serverInfo = { name, version: "1.0.0" };
  const capabilities = { tools: {} };
  const methods: Record<string, (params: JsonObject) => unknown> = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion:
        legacyVersions.find((version) => version === protocolVersion) ?? legacyVersions[0],
      capabilities,
      serverInfo,
    }),
    "server/discover": () => ({
      supportedVersions: [modernVersion],
      capabilities,
      _meta: { "io.modelcontextprotocol/serverInfo": serverInfo },
    }),
    ping: () => ({}),
    "tools/list": () => ({ tools: listed }),
    async "tools/call"(params) {
      const tool = String(params.name);
      const args = (params.arguments ?? {}) as JsonObject;
      const definition = ownField(tools, tool);
      if (definition === undefined) throw new Error(`Unknown tool: ${tool}`);
      calls.push({ tool, arguments: args });
      try {
        return toResult(await definition.run(args));
      } catch (thrown) {
        const text = errorText(thrown);
        return { content: [{ type: "text", text }], isError: true };
      }
    },
  };

  async function answer({ id, method = "", params = {} }: MemoryMessage): Promise<object> {
    const run = ownField(methods, method);
    if (run === undefined)
      return {
        jsonrpc: "2.0",
        id,
        error: { code: -32601, message: `Method not found: ${method}` },
      };
    try {
      return { jsonrpc: "2.0", id, result: await run(params as JsonObject) };
    } catch (thrown) {
      return { jsonrpc: "2.0", id, error: { code: -32602, message: (thrown as Error).message } };
    }
  }

  return {
    calls,
    connect(transport: MemoryTransport) {
      transport.onmessage = async (message: MemoryMessage) => {
        if (message.id !== undefined && message.method !== undefined)
          await transport.send(await answer(message));
      };
      return transport.start();
    },
  };
}

function toResult(value: unknown): object {
  if (typeof value === "object" && value !== null) {
    if ("content" in value) return value;
    return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };
  }
  if (value === undefined) return { content: [] };
  return { content: [{ type: "text", text: String(value) }] };
}
