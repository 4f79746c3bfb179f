// What a gateway is that is put together from the official SDK: its client towards the server, its server towards the client.
// `node sdk-pair.mjs RIVALS PORT SCRIPT`, or `stdio` instead of a port: the SDK (version 1) is taken from where the rivals are installed.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";

const [rivals, port, script] = process.argv.slice(2);
const require = createRequire(join(rivals, "package.json"));
const load = (path) => require(`@modelcontextprotocol/sdk/${path}`);
const { Client } = load("client/index.js");
const { StdioClientTransport } = load("client/stdio.js");
const { Server } = load("server/index.js");
const { StreamableHTTPServerTransport } = load("server/streamableHttp.js");
const { CallToolRequestSchema, ListToolsRequestSchema } = load("types.js");

const info = { name: "sdk-pair", version: "1.0.0" };
const client = new Client(info);
await client.connect(new StdioClientTransport({ command: process.execPath, args: [script] }));
const sessions = new Map();

function createPair() {
  const server = new Server(info, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => client.listTools(params));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => client.callTool(params));
  return server;
}

async function open() {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    enableJsonResponse: true,
    onsessioninitialized: (id) => sessions.set(id, transport),
  });
  await createPair().connect(transport);
  return transport;
}

async function serveStdio() {
  const { StdioServerTransport } = load("server/stdio.js");
  await createPair().connect(new StdioServerTransport());
  process.stdin.on("end", () => process.exit(0));
}

if (port === "stdio") await serveStdio();
else
  createServer(async (request, response) => {
    const transport = sessions.get(request.headers["mcp-session-id"]) ?? (await open());
    await transport.handleRequest(request, response);
  }).listen(Number(port), "127.0.0.1");
