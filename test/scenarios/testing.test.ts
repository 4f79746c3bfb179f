import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { createPlane, resultText } from "../../src/index.ts";
import {
  inMemory,
  type MemoryTransport,
  scriptedModel,
  toolServer,
} from "../../src/testing/testing.ts";
import { until } from "../fixtures/until.ts";
import { errorOf, textsOf } from "./support.ts";

function sdkServer(): McpServer {
  const server = new McpServer({ name: "sdk", version: "1.0.0" });
  const input = { description: "Adds.", inputSchema: z.object({ a: z.number(), b: z.number() }) };
  server.registerTool("add", input, ({ a, b }) => ({
    content: [{ type: "text", text: String(a + b) }],
  }));
  return server;
}

suite("servers in memory", () => {
  test("a server object of the official SDK is called without a process", async () => {
    await using plane = await createPlane({ servers: { sums: inMemory(sdkServer()) } });
    assert.deepEqual(textsOf(await plane.call("sums.add", { a: 2, b: 3 })), ["5"]);
    const [status] = await plane.servers.list();
    assert.deepEqual([status?.transport, status?.pid], ["memory", null]);
  });

  test("a server of the SDK that speaks 2026-07-28 is called in its own era", async () => {
    const connect = (transport: MemoryTransport) =>
      serveStdio(sdkServer, { transport: transport as never, legacy: "reject" });
    await using plane = await createPlane({ servers: { sums: inMemory({ connect }) } });
    assert.deepEqual(textsOf(await plane.call("sums.add", { a: 2, b: 3 })), ["5"]);
    const [status] = await plane.servers.list();
    assert.equal(status?.protocolVersion, "2026-07-28");
  });

  test("a function that takes a message and a reply is a server", async () => {
    const methods: string[] = [];
    const handler = inMemory(({ id, method = "" }, reply) => {
      methods.push(method);
      if (method === "initialize")
        reply({
          jsonrpc: "2.0",
          id,
          result: {
            protocolVersion: "2025-11-25",
            capabilities: { tools: {} },
            serverInfo: { name: "own", version: "1" },
          },
        });
      else if (method === "tools/list")
        reply({
          jsonrpc: "2.0",
          id,
          result: { tools: [{ name: "hi", inputSchema: { type: "object" } }] },
        });
      else if (method === "tools/call") throw new Error("out of order");
      else if (id !== undefined)
        reply({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } });
    });
    await using plane = await createPlane({ servers: { own: handler } });
    const outcome = await plane.call("own.hi");
    assert.match(errorOf(outcome).message, /out of order/);
    assert.ok(methods.includes("tools/list"));
  });

  test("what a test server throws is a result that the model can read", async () => {
    const weather = toolServer({
      forecast: { run: ({ city }) => `Rain in ${city}` },
      alarm: {
        run() {
          throw new Error("no sensor");
        },
      },
      facts: { run: () => ({ wind: 3 }) },
    });
    await using plane = await createPlane({ servers: { weather: inMemory(weather) } });
    assert.deepEqual(textsOf(await plane.call("weather.forecast", { city: "Rome" })), [
      "Rain in Rome",
    ]);
    const alarm = await plane.call("weather.alarm");
    assert.deepEqual(
      [alarm.result?.isError, resultText(alarm.result ?? { content: [] })],
      [true, "no sensor"],
    );
    const facts = await plane.call("weather.facts");
    assert.deepEqual(facts.result?.structuredContent, { wind: 3 });
    assert.deepEqual(weather.calls[0], { tool: "forecast", arguments: { city: "Rome" } });
  });

  test("messages are copies: a server cannot change what a caller holds", async () => {
    const greedy = toolServer({
      take: {
        run(args) {
          args.stolen = true;
          return "taken";
        },
      },
    });
    await using plane = await createPlane({ servers: { greedy: inMemory(greedy) } });
    const args = { mine: 1 };
    await plane.call("greedy.take", args);
    assert.deepEqual(args, { mine: 1 });
  });

  test("a server that closes its connection is connected again for the next call", async () => {
    const connections: MemoryTransport[] = [];
    const tools = toolServer({ ping: { run: () => "pong" } });
    const server = inMemory({
      connect(transport) {
        connections.push(transport);
        return tools.connect(transport);
      },
    });
    await using plane = await createPlane({ servers: { tools: { ...server, backoffMs: 1 } } });
    assert.equal((await plane.call("tools.ping")).ok, true);
    await connections[0]?.close();
    await until("a second connection", async () => (await plane.call("tools.ping")).ok);
    assert.equal(connections.length, 2);
  });

  test("an answer above 'maxMessageBytes' is refused by name and size, and nothing waits to be run again", async () => {
    const tools = toolServer({ much: { run: () => "x".repeat(5_000) } });
    await using plane = await createPlane({
      servers: { tools: { ...inMemory(tools), maxMessageBytes: 2_000 } },
    });
    const { message } = errorOf(await plane.call("tools.much"));
    assert.match(message, /its answer of 5 KiB exceeds the limit of 2 KiB \('maxMessageBytes'\)/);
    assert.equal((await plane.deadLetters.page()).total, 0);
  });

  test("an address that no server in this process has is a clear error", async () => {
    await using plane = await createPlane({
      config: { mcpServers: { gone: { url: "memory://none" } } },
    });
    const { code, message } = errorOf(await plane.call("gone.tool"));
    assert.equal(code, "SERVER_UNAVAILABLE");
    assert.match(
      message,
      /no server 'memory:\/\/none' is in this process; make its entry with inMemory\(\)/,
    );
  });

  test("servers beside a configuration win over servers of the same name", async () => {
    const ours = inMemory(toolServer({ who: { run: () => "ours" } }));
    const config = {
      mcpServers: { one: { command: "no-such-program" }, two: { command: "no-such-program" } },
    };
    await using plane = await createPlane({ config, servers: { one: ours } });
    assert.deepEqual(textsOf(await plane.call("one.who")), ["ours"]);
    assert.deepEqual((await plane.servers.list()).map(({ name }) => name).sort(), ["one", "two"]);
  });
});

suite("a scripted model", () => {
  test("an agent runs without a model and without a process", async () => {
    const weather = toolServer({
      forecast: { annotations: { readOnlyHint: true }, run: ({ city }) => `Rain in ${city}` },
    });
    const model = scriptedModel([
      { kind: "tools", calls: [{ name: "weather__forecast", arguments: { city: "Rome" } }] },
      { kind: "text", text: "Take an umbrella." },
    ]);
    await using plane = await createPlane({
      servers: { weather: inMemory(weather) },
      models: { scripted: model },
    });
    const result = await plane.agent.run("Will it rain in Rome?", { model: "scripted" });
    assert.equal(result.answer, "Take an umbrella.");
    assert.equal(model.requests.length, 2);
    assert.match(JSON.stringify(model.requests[1]?.messages), /Rain in Rome/);
  });

  test("a script that is over fails by name", async () => {
    const model = scriptedModel([]);
    await using plane = await createPlane({ config: {}, models: { scripted: model } });
    await assert.rejects(async () => {
      const result = await plane.agent.run("Hi.", { model: "scripted" });
      if (result.error) throw new Error(result.error.message);
    }, /no reply number 1/);
  });
});
