import { inMemory, type MemoryMessage } from "../../../src/testing/testing.ts";
import type { JsonObject, RpcError } from "../../fixtures/servers/support/messages.ts";
import type { ServerEntry } from "../support.ts";

export const toolNamed = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  inputSchema: { type: "object" },
  annotations: { readOnlyHint: true },
  ...more,
});

export const listing = (...names: string[]): JsonObject => ({
  tools: names.map((name) => toolNamed(name)),
});

/** Resolves with the result; what it throws is the error. Nothing is never answered. */
export type Method = (params: JsonObject, notify: (method: string) => void) => unknown;

/** A legacy server within this process whose methods do what the test wants. Each tool answers with its name. */
export function scriptedServer(
  methods: Record<string, Method>,
  more: ServerEntry = {},
): ServerEntry {
  const known: Record<string, Method> = {
    initialize: () => ({
      protocolVersion: "2025-11-25",
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: "scripted", version: "1" },
    }),
    ping: () => ({}),
    "tools/call": ({ name }) => ({ content: [{ type: "text", text: name }] }),
    ...methods,
  };
  const answer = async (
    { id, method = "", params = {} }: MemoryMessage,
    reply: (message: object) => void,
  ) => {
    if (id === undefined) return;
    const body = await outcomeOf(known[method], params as JsonObject, (said) =>
      reply({ jsonrpc: "2.0", method: said }),
    );
    if (body) reply({ jsonrpc: "2.0", id, ...body });
  };
  return { ...inMemory(answer), ...more };
}

async function outcomeOf(
  method: Method | undefined,
  params: JsonObject,
  notify: (method: string) => void,
) {
  if (method === undefined) return { error: { code: -32601, message: "Method not found" } };
  try {
    const result = await method(params, notify);
    return result === undefined ? undefined : { result };
  } catch (thrown) {
    const { code, message } = thrown as RpcError;
    return { error: { code, message } };
  }
}

/** A legacy server as a process. Its tools are bodies of functions of `id`, and `before` may replace its `methods`. */
export function scriptedProcess(
  tools: Record<string, string>,
  more: ServerEntry = {},
  before = "",
): ServerEntry {
  const names = JSON.stringify(Object.keys(tools));
  const program = `
    const write = (text) => process.stdout.write(text);
    const answer = (id, result) => write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
    const text = (value) => ({ content: [{ type: "text", text: String(value) }] });
    const tools = { ${Object.entries(tools)
      .map(([name, body]) => `${name}: (id) => { ${body} }`)
      .join()} };
    const methods = {
      initialize: (id) => answer(id, { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }),
      "tools/list": (id) => answer(id, { tools: ${names}.map((name) => ({ name, inputSchema: { type: "object" } })) }),
      "tools/call": (id, { name }) => tools[name](id),
      ping: (id) => answer(id, {}),
    };
    ${before}
    require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, params } = JSON.parse(line);
      if (id === undefined) return;
      if (methods[method]) methods[method](id, params);
      else write(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } }) + "\\n");
    }).on("close", () => process.exit(0));`;
  return { command: process.execPath, args: ["-e", program], ...more };
}
