import assert from "node:assert/strict";
import { test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { received, rogue } from "../scenarios/rogue/rogue.ts";
import { namedServer } from "../scenarios/support.ts";

test("one crash under 64 callers is one failure for health and circuit, and its first cooldown is short", async () => {
  await using directory = await temporaryDirectory();
  const log = directory.file("log");
  const providers = [
    { name: "mcp", priority: 0, health_check_interval: 0, config: { server: "first", tool: "hang" } },
    { name: "mcp", priority: 9, health_check_interval: 0, config: { server: "second", tool: "ok" } },
  ];
  const lookup = { name: "lookup", description: "Looks something up.", side_effects: "none" as const, providers };
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
  const { failures, backoff_until: restsUntil } = health.providers["mcp:first"]?.router ?? assert.fail();
  assert.equal(failures, 1);
  if (restsUntil !== null) assert.ok(Date.parse(restsUntil) <= Date.now() + 1_200, `${restsUntil} after ${before}`);
  const circuit = (await plane.servers.list()).find(({ name }) => name === "first")?.circuit;
  assert.deepEqual([circuit?.state, circuit?.failures], ["closed", 1]);
});
