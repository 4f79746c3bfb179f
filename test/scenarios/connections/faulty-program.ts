/** An MCP server over stdio with one fault, which its argument names. */
import { createInterface } from "node:readline";

const [fault = ""] = process.argv.slice(2);
const write = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`);
const tools = [{ name: "work", description: "Works.", inputSchema: { type: "object" } }];
const answers: Record<string, object> = {
  initialize: {
    protocolVersion: "2025-06-18",
    serverInfo: { name: "faulty", version: "1" },
    capabilities: { tools: {} },
  },
  "tools/list": { tools },
};

if (fault === "exits at once") process.exit(3);

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (fault === "hangs in the handshake" || id === undefined) return;
  if (fault === "hangs in the list" && method === "tools/list") return;
  if (fault === "answers another id" && method === "tools/call")
    return write({ jsonrpc: "2.0", id: 1003, result: { content: [] } });
  if (fault === "answers without an id" && method === "tools/call")
    return write({ jsonrpc: "2.0", result: { content: [] } });
  const result = fault === "knows nothing" ? undefined : answers[method];
  const said = result ? { result } : { error: { code: -32601, message: "Method not found" } };
  write({ jsonrpc: "2.0", id, ...said });
  if (fault === "exits after its list" && method === "tools/list")
    setImmediate(() => process.exit(1));
});
