// The same echo tool over Streamable HTTP, on raw node:http: one session for all clients, answers in JSON. Prints its address.
import { createServer } from "node:http";

const tool = {
  name: "echo",
  description: "Returns the message.",
  inputSchema: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
};
const blob = { ...tool, name: "blob", description: "Returns the message too." };
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "echo-http", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools: [tool, blob] }),
  "tools/call": ({ arguments: { message } }) => ({ content: [{ type: "text", text: message }] }),
  ping: () => ({}),
};

const server = createServer((request, response) => {
  if (request.method !== "POST") return response.writeHead(request.method === "DELETE" ? 204 : 405).end();
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const { id, method, params = {} } = JSON.parse(Buffer.concat(chunks).toString());
    if (id === undefined) return response.writeHead(202).end();
    const answer = answers[method];
    const text = answer
      ? `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${JSON.stringify(answer(params))}}`
      : `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":-32601,"message":"Method not found"}}`;
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
      ...(method === "initialize" ? { "mcp-session-id": "echo" } : {}),
    });
    response.end(text);
  });
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
process.on("SIGTERM", () => process.exit(0));
