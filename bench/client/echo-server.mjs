// The smallest stdio MCP server that keeps up: it answers everything that came in one chunk with one write, so
// that what is measured is the client.
let buffered = "";

const inputSchema = {
  type: "object",
  properties: { message: { type: "string" } },
  required: ["message"],
};
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "echo", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({
    tools: [{ name: "echo", description: "Returns its message.", inputSchema }],
  }),
  "tools/call": ({ arguments: { message } }) => ({ content: [{ type: "text", text: message }] }),
};

function answer(line) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return "";
  const known = Object.hasOwn(answers, method);
  const body = known
    ? { result: answers[method](params) }
    : { error: { code: -32601, message: "Method not found" } };
  return `${JSON.stringify({ jsonrpc: "2.0", id, ...body })}\n`;
}

process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (buffered + chunk).split("\n");
  buffered = lines.pop();
  process.stdout.write(lines.map(answer).join(""));
});
