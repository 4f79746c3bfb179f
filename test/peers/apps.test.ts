import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import {
  Client,
  InMemoryTransport,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { App } from "@modelcontextprotocol/ext-apps";
import { AppBridge } from "@modelcontextprotocol/ext-apps/app-bridge";
import { startGateway } from "../fixtures/conformance/start-gateway.ts";
import type { ServerEntry } from "../scenarios/support.ts";

const pageType = "text/html;profile=mcp-app";
const installed = fileURLToPath(new URL("node_modules/@modelcontextprotocol/", import.meta.url));
/** The example servers of MCP Apps: every installed one that is no other official server. */
const examples = readdirSync(installed)
  .filter((name) => name.startsWith("server-") && name !== "server-sequential-thinking")
  .map((name) => name.slice("server-".length));

const server = (name: string): ServerEntry => ({
  command: process.execPath,
  args: [`${installed}server-${name}/dist/index.js`, "--stdio"],
  inheritEnv: ["HOME"],
});

async function connect(url: string): Promise<Client> {
  const capabilities = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [pageType] } } };
  const client = new Client({ name: "host", version: "1.0.0" }, { capabilities });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

/** A page in a frame of the host: the bridge of the SDK on one side, the page's own library on the other. */
async function openPage(client: Client): Promise<App> {
  const [forPage, forHost] = InMemoryTransport.createLinkedPair();
  const abilities = { serverTools: {}, serverResources: {}, openLinks: {}, logging: {} };
  const bridge = new AppBridge(client, { name: "host", version: "1.0.0" }, abilities);
  const app = new App({ name: "page", version: "1.0.0" }, {}, { autoResize: false });
  await bridge.connect(forHost);
  await app.connect(forPage);
  return app;
}

type UiTool = {
  name: string;
  inputSchema: { required?: string[] };
  _meta?: { ui?: { resourceUri?: string } };
};

test("every example server of MCP Apps works through the gateway with the host bridge of the SDK", async () => {
  assert.ok(examples.length >= 20, examples.join());
  await using gateway = await startGateway(
    Object.fromEntries(examples.map((name) => [name, server(name)])),
  );
  const held = (await gateway.plane.tools.list()).filter(({ unavailable }) => unavailable !== null);
  assert.deepEqual(
    held.map(({ name, unavailable }) => `${name}: ${unavailable}`),
    [],
  );
  const client = await connect(`${gateway.url}?mode=full`);
  try {
    const tools = (await client.listTools()).tools as UiTool[];
    const addresses = new Map<string, string>();
    for (const name of examples) {
      const shown = tools.filter(
        (tool) => tool.name.startsWith(`${name}__`) && tool._meta?.ui?.resourceUri,
      );
      assert.notEqual(shown.length, 0, `${name} has no tool with a page`);
      const uri = String(shown[0]?._meta?.ui?.resourceUri);
      assert.ok(!addresses.has(uri), `${name} and ${addresses.get(uri)} have the same page`);
      addresses.set(uri, name);
      const { contents } = await client.readResource({ uri });
      const [page] = contents as { uri: string; mimeType: string; text?: string }[];
      assert.deepEqual([page?.uri, page?.mimeType], [uri, pageType], name);
      assert.match(String(page?.text), /<html/i, name);
    }
  } finally {
    await client.close();
  }
});

test("pages of six servers with the same names and addresses call each their own server", async () => {
  const basic = examples.filter((name) => name.startsWith("basic-"));
  await using gateway = await startGateway(
    Object.fromEntries(basic.map((name) => [name, server(name)])),
  );
  const client = await connect(gateway.url);
  try {
    const tools = (await client.listTools()).tools as UiTool[];
    for (const name of [...basic, ...basic.toReversed()]) {
      const tool = tools.find((one) => one.name === `${name}__get-time`);
      await client.callTool({ name: `${name}__get-time`, arguments: {} });
      await client.readResource({ uri: String(tool?._meta?.ui?.resourceUri) });
      const app = await openPage(client);
      const told = await app.callServerTool({ name: "get-time", arguments: {} });
      assert.match(JSON.stringify(told.content), /\d{4}-\d\d-\d\d/);
      const [last] = await gateway.plane.calls.list({ limit: 1 });
      assert.deepEqual([last?.server, last?.page], [name, "ui://get-time/mcp-app.html"]);
      await app.close();
    }
  } finally {
    await client.close();
  }
});
