// A stdio MCP server whose one tool takes as long on average as its first argument says, from half of that to one and
// a half, the same each time for the same message, and any number at a time. It writes down how often it was started,
// opened and asked for its tools.
import { appendFileSync } from "node:fs";

const [, , ms, log] = process.argv;
const count = (what) => appendFileSync(log, `${what}\n`);
const inputSchema = {
  type: "object",
  properties: { message: { type: "string" } },
  required: ["message"],
};
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "tool-server", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({
    tools: [
      {
        name: "echo",
        description: "Returns its message.",
        inputSchema,
        annotations: { readOnlyHint: true },
      },
    ],
  }),
  "tools/call": ({ arguments: { message } }) => ({ content: [{ type: "text", text: message }] }),
};
let buffered = "";
count("start");

function durationOf({ arguments: { message } }) {
  let hash = 7;
  for (const character of message) hash = (hash * 31 + character.charCodeAt(0)) % 1009;
  return Number(ms) * (0.5 + hash / 1009);
}

function answer(line) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "initialize" || method === "tools/list") count(method);
  const known = Object.hasOwn(answers, method);
  const body = known
    ? { result: answers[method](params) }
    : { error: { code: -32601, message: "Method not found" } };
  const write = () => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...body })}\n`);
  if (method === "tools/call" && Number(ms) > 0) setTimeout(write, durationOf(params));
  else write();
}

process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (buffered + chunk).split("\n");
  buffered = lines.pop();
  for (const line of lines) answer(line);
});
process.stdin.on("end", () => process.exit(0));
