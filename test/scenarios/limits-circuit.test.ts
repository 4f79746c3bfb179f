import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createPlane, type EventOf, type Plane } from "../../src/index.ts";
import { startHttpFixture, temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { received, rogue } from "./rogue/rogue.ts";
import {
  assertFailed,
  callsAt,
  errorOf,
  processFixture as fixture,
  namedServer,
  planeOf,
  textsOf,
} from "./support.ts";

const sum = { a: 1, b: 2 };

async function fail(plane: Plane, times: number): Promise<void> {
  for (let at = 0; at < times; at += 1) {
    assertFailed(await plane.call("failing.add", sum), "OUTCOME_UNKNOWN", "failed");
  }
}

function statesOf(plane: Plane): EventOf<"server.circuit">["state"][] {
  const states: EventOf<"server.circuit">["state"][] = [];
  plane.on("server.circuit", ({ state }) => states.push(state));
  return states;
}

suite("a server that only fails", { concurrency: 4 }, () => {
  test("after five failures in a row its circuit opens, and every caller can see why", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using failing = await startHttpFixture("http", ["--fail", "1000", "--log", log]);
    await using plane = await planeOf({ failing: { url: failing.url }, echo: fixture("echo") });
    const states = statesOf(plane);
    await fail(plane, 5);
    const refused = await plane.call("failing.echo", { message: "hi" });
    assertFailed(refused, "SERVER_UNAVAILABLE", "failed");
    const { message, data } = errorOf(refused);
    assert.match(
      message,
      /Server 'failing': circuit open since .*after 5 failures in a row\. The last one: .*500/,
    );
    assert.ok(Date.parse(String(data.retryAt)) > Date.now() + 20_000);
    assert.deepEqual([refused.call.attempts, callsAt(log).length], [0, 5]);
    const { circuit } = await plane.servers.get("failing");
    assert.deepEqual([circuit?.state, circuit?.failures], ["open", 5]);
    assert.deepEqual(states, ["open"]);
    assert.equal((await plane.servers.get("echo")).circuit?.state, "closed");
    assert.deepEqual(textsOf(await plane.call("echo.echo", { message: "others go on" })), [
      "others go on",
    ]);
  });

  test("when its time is over one call tries it, and its success lets the others in", async () => {
    await using failing = await startHttpFixture("http", ["--fail", "3"]);
    const circuit = { failures: 2, openMs: 100 };
    await using plane = await planeOf({ failing: { url: failing.url, circuit } });
    const states = statesOf(plane);
    const over = async () => {
      const openUntil = Date.parse((await plane.servers.get("failing")).circuit?.openUntil ?? "");
      await until("the end of its rest", () => Date.now() >= openUntil);
    };
    await fail(plane, 2);
    await over();
    await fail(plane, 1);
    assertFailed(await plane.call("failing.add", sum), "SERVER_UNAVAILABLE", "failed");
    await over();
    const [probe, ...others] = await Promise.all(
      [1, 2, 3].map(() => plane.call("failing.add", sum)),
    );
    assert.deepEqual(probe?.result?.structuredContent, { sum: 3 });
    for (const other of others) assertFailed(other, "SERVER_UNAVAILABLE", "failed");
    assert.equal((await plane.call("failing.add", sum)).ok, true);
    assert.deepEqual(states, ["open", "half_open", "open", "half_open", "closed"]);
  });

  test("a person who connects it again does not have to wait", async () => {
    await using failing = await startHttpFixture("http", ["--fail", "5"]);
    await using plane = await planeOf({ failing: { url: failing.url } });
    await fail(plane, 5);
    assertFailed(await plane.call("failing.add", sum), "SERVER_UNAVAILABLE", "failed");
    await plane.servers.connect("failing");
    assert.equal((await plane.call("failing.add", sum)).ok, true);
  });

  test("a tool with another way goes there, without an attempt and with the reason", async () => {
    await using failing = await startHttpFixture("http", ["--fail", "1000"]);
    const providers = [
      {
        name: "mcp",
        priority: 0,
        health_check_interval: 0,
        config: { server: "failing", tool: "echo" },
      },
      {
        name: "mcp",
        priority: 1,
        health_check_interval: 0,
        config: { server: "other", tool: "ok" },
      },
    ];
    const lookup = {
      name: "lookup",
      description: "Looks up.",
      side_effects: "none" as const,
      providers,
    };
    await using plane = await createPlane({
      config: {
        mcpServers: { failing: { url: failing.url }, other: namedServer("other", ["ok"]) },
        tools: { lookup },
      },
    });
    await fail(plane, 5);
    const outcome = await plane.call("lookup");
    assert.deepEqual(textsOf(outcome), ["other:ok"]);
    assert.deepEqual([outcome.call.provider, outcome.call.attempts], ["mcp:other", 1]);
    await plane.servers.disconnect("other");
    const none = await plane.call("lookup");
    assertFailed(none, "NO_PROVIDER", "failed");
    assert.match(errorOf(none).message, /mcp:failing: Server 'failing': circuit open since/);
  });

  test("a tool that says no, and a caller that gives up, never count", async () => {
    await using plane = await planeOf({
      echo: fixture("echo", [], { circuit: { failures: 1, openMs: 60_000 } }),
    });
    const failed = await plane.call("echo.fail", {});
    const impatient = await plane.call("echo.slow", { ms: 60_000 }, { timeoutMs: 50 });
    assert.deepEqual([failed.error?.code, impatient.error?.code], ["TOOL_ERROR", "TIMEOUT"]);
    assert.equal((await plane.call("echo.echo", { message: "fine" })).ok, true);
  });
});

test("one crash under 64 callers is one failure for health and circuit, and its first cooldown is short", async () => {
  await using directory = await temporaryDirectory();
  const log = directory.file("log");
  const providers = [
    {
      name: "mcp",
      priority: 0,
      health_check_interval: 0,
      config: { server: "first", tool: "hang" },
    },
    {
      name: "mcp",
      priority: 9,
      health_check_interval: 0,
      config: { server: "second", tool: "ok" },
    },
  ];
  const lookup = {
    name: "lookup",
    description: "Looks something up.",
    side_effects: "none" as const,
    providers,
  };
  const mcpServers = {
    first: rogue("hang-call", ["--log", log], { maxConcurrency: 64 }),
    second: namedServer("second", ["ok"]),
  };
  await using plane = await createPlane({ config: { mcpServers, tools: { lookup } } });
  const calls = Array.from({ length: 64 }, () => plane.call("lookup"));
  await until("64 requests", () => received(log, "tools/call").length === 64);
  const before = Date.now();
  const first = (await plane.servers.list()).find(({ name }) => name === "first");
  process.kill(Number(first?.pid), "SIGKILL");
  for (const { call } of await Promise.all(calls)) assert.equal(call.provider, "mcp:second");
  const { health } = await plane.tools.get("lookup");
  const { failures, backoff_until: restsUntil } =
    health.providers["mcp:first"]?.router ?? assert.fail();
  assert.equal(failures, 1);
  if (restsUntil !== null)
    assert.ok(Date.parse(restsUntil) <= Date.now() + 1_200, `${restsUntil} after ${before}`);
  const circuit = (await plane.servers.list()).find(({ name }) => name === "first")?.circuit;
  assert.deepEqual([circuit?.state, circuit?.failures], ["closed", 1]);
});
