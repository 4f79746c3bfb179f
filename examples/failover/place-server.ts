/** An MCP server that tells its name, in as few lines as the protocol allows. */
import { createInterface } from "node:readline";

const [, , place = "somewhere"] = process.argv;
const tools = [
  { name: "where", description: "Tells which server answers.", inputSchema: { type: "object" } },
];

function answer(method: string, version: unknown): object {
  const info = {
    protocolVersion: version,
    capabilities: { tools: {} },
    serverInfo: { name: place, version: "1" },
  };
  if (method === "initialize") return { result: info };
  if (method === "tools/list") return { result: { tools } };
  if (method === "tools/call") return { result: { content: [{ type: "text", text: place }] } };
  return { error: { code: -32601, message: "Method not found" } };
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line) as {
    id?: number;
    method: string;
    params?: { protocolVersion?: string };
  };
  if (id === undefined) return;
  const reply = answer(method, params?.protocolVersion);
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...reply })}\n`);
});
