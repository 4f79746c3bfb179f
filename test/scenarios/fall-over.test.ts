import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { listing, scriptedServer } from "./connections/scripted-server.ts";
import { rogue } from "./rogue/rogue.ts";
import {
  assertFailed,
  callsAt,
  errorOf,
  processFixture as fixture,
  isAlive,
  namedServer,
  processFixture,
  type ServerEntry,
  textsOf,
  within,
} from "./support.ts";

type Way = { server: string; tool: string; priority?: number };

/** One tool with several ways to execute it. */
function planeWith(servers: Record<string, ServerEntry>, ways: Way[], more: object = {}) {
  const providers = ways.map(({ server, tool, priority = 0 }) => ({
    name: "mcp",
    priority,
    health_check_interval: 0,
    config: { server, tool },
  }));
  const lookup = {
    name: "lookup",
    description: "Looks something up.",
    side_effects: "none" as const,
    providers,
    ...more,
  };
  return createPlane({ config: { mcpServers: servers, tools: { lookup } } });
}

suite("falling over between providers", () => {
  test("the next one answers in the same call, and the first is preferred again after its rest", async () => {
    await using plane = await planeWith(
      { first: rogue("crash-mid-call"), second: namedServer("second", ["ok"]) },
      [
        { server: "second", tool: "ok", priority: 10 },
        { server: "first", tool: "ok", priority: 0 },
      ],
    );
    const healthy = await plane.call("lookup");
    assert.equal(healthy.call.provider, "mcp:first");
    const [{ pid = 0 } = {}] = (await plane.servers.list()).filter(({ name }) => name === "first");
    await plane.servers.disconnect("first");
    await until("its end", () => !isAlive(Number(pid)));
    const outcome = await plane.call("lookup");
    const during = await plane.call("lookup");
    assert.deepEqual(textsOf(outcome), ["second:ok"]);
    assert.equal(outcome.call.provider, "mcp:second");
    assert.equal(outcome.call.attempts, 2);
    assert.equal(during.call.attempts, 1, "the first one rests");
    const { health } = await plane.tools.get("lookup");
    assert.ok(health.providers["mcp:first"]?.router.backoff_until);
    assert.match(health.providers["mcp:first"]?.router.last_error ?? "", /disconnected/);
    assert.equal(health.providers["mcp:first"]?.metrics.failure, 1);
    await plane.servers.connect("first");
    const rest = Date.parse(health.providers["mcp:first"]?.router.backoff_until ?? "") - Date.now();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, rest) + 50));
    assert.equal((await plane.call("lookup")).call.provider, "mcp:first");
    assert.equal(
      (await plane.tools.get("lookup")).health.providers["mcp:first"]?.router.failures,
      0,
    );
  });

  test("one that hangs while it opens holds no call that another can answer, and is preferred once it is open", async () => {
    const opened = Promise.withResolvers<void>();
    const starts: string[] = [];
    const hanging = scriptedServer(
      {
        "tools/list": async () => {
          starts.push("list");
          await opened.promise;
          return listing("ok");
        },
      },
      { connectTimeoutMs: 3_600_000 },
    );
    const servers = { hanging, second: scriptedServer({ "tools/list": () => listing("ok") }) };
    await using plane = await planeWith(servers, [
      { server: "hanging", tool: "ok", priority: 0 },
      { server: "second", tool: "ok", priority: 10 },
    ]);
    for (let count = 0; count < 10; count++)
      assert.equal((await within("a call", plane.call("lookup"))).call.provider, "mcp:second");
    assert.deepEqual(starts, ["list"], "it opens beside the calls, once");
    opened.resolve();
    await until("its list", async () => (await plane.servers.get("hanging")).state === "connected");
    assert.equal((await plane.call("lookup")).call.provider, "mcp:hanging");
  });

  test("one that is started by its call is waited for, where no other can be asked", async () => {
    const servers = {
      slow: processFixture("echo", ["--delay", "3000"]),
      broken: { command: process.execPath, args: ["-e", "process.exit(3)"] },
    };
    await using plane = await planeWith(servers, [
      { server: "slow", tool: "pid", priority: 0 },
      { server: "broken", tool: "pid", priority: 10 },
    ]);
    const outcome = await within("a call", plane.call("lookup"));
    assert.equal(outcome.call.provider, "mcp:slow", JSON.stringify(outcome));
  });

  test("when all fail, one error names each with its reason, and the next call does not try again", async () => {
    await using plane = await planeWith(
      { first: { command: "/no/such/program" }, second: { url: "http://127.0.0.1:9/mcp" } },
      [
        { server: "first", tool: "a" },
        { server: "second", tool: "b" },
      ],
    );
    const outcome = await plane.call("lookup");
    assertFailed(outcome, "NO_PROVIDER", "failed");
    assert.match(
      errorOf(outcome).message,
      /mcp:first: .*no\/such\/program.*mcp:second: .*127\.0\.0\.1:9/,
    );
    const again = await plane.call("lookup");
    assertFailed(again, "NO_PROVIDER", "failed");
    assert.equal(again.call.attempts, 0);
    const { providers } = errorOf(again).data as { providers: Record<string, string> };
    assert.deepEqual(Object.keys(providers).sort(), ["mcp:first", "mcp:second"]);
    for (const reason of Object.values(providers)) assert.match(reason, /next try in \d+ s/);
  });

  test("a tool that says no is no failure of its provider", async () => {
    await using plane = await planeWith(
      { first: rogue("error-kinds"), second: namedServer("second", ["ok"]) },
      [
        { server: "first", tool: "tool_error", priority: 0 },
        { server: "second", tool: "ok", priority: 10 },
      ],
    );
    for (let call = 0; call < 20; call++) {
      const outcome = await plane.call("lookup");
      assert.equal(outcome.call.provider, "mcp:first");
      assert.equal(outcome.error?.code, "TOOL_ERROR");
    }
    const { health } = await plane.tools.get("lookup");
    assert.deepEqual(
      [
        health.providers["mcp:first"]?.router.failures,
        health.providers["mcp:first"]?.metrics.failure,
      ],
      [0, 0],
    );
  });

  test("a write that may have run is not tried elsewhere", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeWith(
      { first: rogue("crash-mid-call"), second: fixture("echo", ["--log", log]) },
      [
        { server: "first", tool: "boom", priority: 0 },
        { server: "second", tool: "do_it_now", priority: 10 },
      ],
      { side_effects: "write" },
    );
    assertFailed(await plane.call("lookup"), "OUTCOME_UNKNOWN", "failed");
    assert.deepEqual(callsAt(log), []);
  });

  test("a failing check keeps a provider from being called, and is made once in its interval", async () => {
    await using plane = await createPlane({
      config: {
        mcpServers: {
          first: { command: "/no/such/program" },
          second: namedServer("second", ["ok"]),
        },
        tools: {
          lookup: {
            name: "lookup",
            description: "Looks something up.",
            side_effects: "write",
            providers: [
              { name: "mcp", priority: 0, config: { server: "first", tool: "x" } },
              { name: "mcp", priority: 10, config: { server: "second", tool: "ok" } },
            ],
          },
        },
      },
    });
    const outcome = await plane.call("lookup");
    assert.equal(outcome.call.provider, "mcp:second");
    assert.equal(outcome.call.attempts, 1, "a check is no call");
    const { health } = await plane.tools.get("lookup");
    assert.equal(health.providers["mcp:first"]?.metrics.total, 0);
    assert.equal(health.providers["mcp:first"]?.router.healthy, false);
  });

  test("the first failure names every provider with its reason, as the second does", async () => {
    const way = (name: string, config: Record<string, string>) => ({
      name,
      priority: 0,
      health_check_interval: 0,
      config,
    });
    const providers = [way("teleport", {}), way("http", { url: "http://127.0.0.1:9/" })];
    const tool = {
      name: "lookup",
      description: "Looks it up.",
      side_effects: "none" as const,
      providers,
    };
    const retry = { delayMs: 1 };
    await using plane = await createPlane({ config: { tools: { lookup: tool }, retry } });
    for (const attempts of [2, 0]) {
      const { code, data, attempts: tried } = errorOf(await plane.call("lookup"));
      const reasons = data.providers as Record<string, string>;
      assert.deepEqual(
        [code, Object.keys(reasons).sort(), tried],
        ["NO_PROVIDER", ["http", "teleport"], attempts],
      );
      assert.match(reasons.teleport ?? "", /no provider of kind 'teleport' is known/);
      assert.ok(reasons.http);
    }
  });
});
