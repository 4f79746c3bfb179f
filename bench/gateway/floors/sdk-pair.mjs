/**
 * A server and clients of the official SDK (v1), back to back: what glue costs before any feature.
 *   node sdk-pair.mjs CONFIG.json     as for splice.mjs
 * `config.modules` is a directory with the SDK in its `node_modules`.
 */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const config = JSON.parse(readFileSync(process.argv[2], "utf8"));
const required = createRequire(join(config.modules, "package.json"));
/** The SDK is found through its CommonJS entry and loaded from the ESM one beside it. */
const load = (part) =>
  import(
    pathToFileURL(
      required.resolve(`@modelcontextprotocol/sdk/${part}`).replace("/dist/cjs/", "/dist/esm/"),
    ).href
  );
const [
  { Server },
  { StreamableHTTPServerTransport },
  { StdioServerTransport },
  { Client },
  stdio,
  http,
  types,
] = await Promise.all(
  [
    "server/index.js",
    "server/streamableHttp.js",
    "server/stdio.js",
    "client/index.js",
    "client/stdio.js",
    "client/streamableHttp.js",
    "types.js",
  ].map(load),
);

const tools = [];
const routes = new Map();
async function open({ name: server, url, command, args, env }) {
  const client = new Client({ name: "sdk-pair", version: "1" });
  const transport =
    url === undefined
      ? new stdio.StdioClientTransport({ command, args, env: { ...process.env, ...env } })
      : new http.StreamableHTTPClientTransport(new URL(url));
  await client.connect(transport);
  let cursor;
  do {
    const page = await client.listTools(cursor ? { cursor } : {});
    for (const tool of page.tools) {
      const name = `${server}__${tool.name}`;
      routes.set(name, { client, name: tool.name });
      tools.push({ ...tool, name });
    }
    cursor = page.nextCursor;
  } while (cursor);
}
const ready = Promise.all(config.servers.map(open));

function createFront() {
  const server = new Server({ name: "sdk-pair", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler(types.ListToolsRequestSchema, async () => {
    await ready;
    return { tools };
  });
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params }) => {
    const route = routes.get(params.name);
    if (route === undefined)
      throw new types.McpError(types.ErrorCode.InvalidParams, "Unknown tool");
    const asked = {
      method: "tools/call",
      params: { name: route.name, arguments: params.arguments },
    };
    return route.client.request(asked, types.CallToolResultSchema);
  });
  return server;
}

if (config.front === "stdio") await createFront().connect(new StdioServerTransport());
else {
  const transports = new Map();
  createServer(async (request, response) => {
    const session = request.headers["mcp-session-id"];
    let transport = transports.get(session);
    if (transport === undefined && session === undefined) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (id) => transports.set(id, transport),
      });
      await createFront().connect(transport);
    }
    if (transport === undefined) return response.writeHead(404).end();
    await transport.handleRequest(request, response);
  }).listen(config.port, "127.0.0.1");
}
