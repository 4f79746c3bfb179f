import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json, text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { tellStory } from "../story.ts";

const { chapter, promise } = tellStory(
  "From an empty directory to a call that works, one command each",
);
const directory = mkdtempSync(join(tmpdir(), "toolplane-adding-"));
const program = fileURLToPath(new URL("../../src/bin.ts", import.meta.url));

async function toolplane(...words: string[]): Promise<string> {
  const env = {
    ...process.env,
    XDG_CONFIG_HOME: join(directory, "config"),
    XDG_DATA_HOME: join(directory, "data"),
  };
  const child = spawn(process.execPath, [program, ...words], {
    cwd: directory,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [[code], out, err] = await Promise.all([
    once(child, "close"),
    text(child.stdout),
    text(child.stderr),
  ]);
  console.log(`  $ toolplane ${words.join(" ")}`);
  assert.equal(code, 0, out + err);
  return out;
}

/** A small API; `/mcp` of it is an MCP server, and `/registry` a registry with one entry. */
const api = createServer(async (request, response) => {
  const { url = "" } = request;
  const body =
    url === "/mcp"
      ? await answerMcp(request)
      : url.startsWith("/registry/v0.1/servers/")
        ? registered()
        : { pet: url };
  response.writeHead(body === null ? 405 : 200, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
});
await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
const address = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;

const registered = () => ({
  server: {
    name: "io.github.example/greeter",
    description: "Greets",
    version: "1.0.0",
    remotes: [
      {
        type: "streamable-http",
        url: `${address}/mcp`,
        headers: [{ name: "X-Team", isRequired: true }],
      },
    ],
  },
});

async function answerMcp(request: IncomingMessage): Promise<object | null> {
  if (request.method !== "POST") return null;
  const { id, method, params } = (await json(request)) as {
    id?: number;
    method: string;
    params?: { arguments?: { name?: string } };
  };
  const schema = { type: "object", properties: { name: { type: "string" } } };
  const answers: Record<string, object> = {
    initialize: {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "greeter", version: "1" },
    },
    "tools/list": {
      tools: [{ name: "greet", description: "Greets a person", inputSchema: schema }],
    },
    "tools/call": { content: [{ type: "text", text: `Hello ${params?.arguments?.name}` }] },
    ping: {},
  };
  const result = answers[method];
  return {
    jsonrpc: "2.0",
    id: id ?? null,
    ...(result ? { result } : { error: { code: -32601, message: "Method not found" } }),
  };
}

try {
  chapter("A command line");
  await promise("is tried, written and called", async () => {
    await toolplane("add", "toolplane", "demo", "--name", "demo");
    assert.match(await toolplane("call", "demo.greet", "name=Ann"), /Ann/);
  });

  chapter("A URL");
  await promise("is an MCP server by its handshake", async () => {
    await toolplane("add", `${address}/mcp`, "--name", "greeter");
    assert.match(await toolplane("call", "greeter.greet", "name=Ben"), /Hello Ben/);
  });

  chapter("An OpenAPI file");
  await promise("is recognised by its content", async () => {
    const parameters = [{ name: "id", in: "path", required: true, schema: { type: "string" } }];
    const get = { operationId: "getPet", parameters, responses: { 200: { description: "A pet" } } };
    const document = {
      openapi: "3.1.0",
      info: { title: "Pets", version: "1" },
      servers: [{ url: address }],
      paths: { "/pets/{id}": { get } },
    };
    writeFileSync(join(directory, "pets.json"), JSON.stringify(document));
    await toolplane("add", "pets.json");
    assert.match(await toolplane("call", "pets.getPet", "id=7"), /\/pets\/7/);
  });

  chapter("A name of a registry");
  await promise("is pinned, with what its form asks for", async () => {
    const file = join(directory, "toolplane.json");
    const config = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(
      file,
      JSON.stringify({ registries: [`${address}/registry`], ...config }, null, 2),
    );
    // The entries of a registry lead to public addresses only. Yours alone may say that this one is right.
    const own = join(directory, "config", "toolplane");
    mkdirSync(own, { recursive: true });
    const security = { egress: { allow: [new URL(address).host] } };
    writeFileSync(join(own, "toolplane.json"), JSON.stringify({ security }));
    await toolplane("trust", "--yes");
    await toolplane(
      "add",
      "io.github.example/greeter",
      "--name",
      "team-greeter",
      "--set",
      "X_TEAM=blue",
    );
    const { mcpServers } = JSON.parse(readFileSync(file, "utf8"));
    assert.deepEqual(mcpServers["team-greeter"], {
      url: `${address}/mcp`,
      headers: { "X-Team": "blue" },
      source: "io.github.example/greeter@1.0.0",
    });
  });
} finally {
  api.close();
  api.closeAllConnections();
  rmSync(directory, { recursive: true, force: true });
}
