import { createInterface } from "node:readline";
import { listedTool } from "../registry/sample-tools.ts";

/** An MCP server that lists as many tools as it is asked for and answers every call with a few words. */
const [server = "0", count = "1000"] = process.argv.slice(2);
const tools = Array.from({ length: Number(count) }, (_, at) => listedTool(Number(server), at));

type Request = {
  id?: number | string;
  method: string;
  params?: { protocolVersion?: string; name?: string };
};

const answers: Record<string, (params: Request["params"]) => object> = {
  initialize: (params) => ({
    protocolVersion: params?.protocolVersion ?? "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: `team-${server}`, version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools }),
  "tools/call": (params) => ({ content: [{ type: "text", text: `${params?.name} is done.` }] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line) as Request;
  if (id === undefined) continue;
  const answer = answers[method];
  const said = answer
    ? { result: answer(params) }
    : { error: { code: -32601, message: `There is no method ${method} here.` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...said })}\n`);
}
