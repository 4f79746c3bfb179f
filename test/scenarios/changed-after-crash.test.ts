import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { processFixture } from "./support.ts";

const listing = (name: string) => [
  {
    name: "find",
    inputSchema: { type: "object", properties: { [name]: { type: "string" } }, required: [name] },
  },
];

test("the first call after a crash is checked against what the server lists now", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("tools.json");
  writeFileSync(file, JSON.stringify([listing("old")]));
  await using plane = await createPlane({
    config: {
      mcpServers: { s: processFixture("scripted-list", ["--tools", file]) as never },
      security: { pinning: "off" },
    },
  });
  assert.equal((await plane.call("s.find", { old: "a" })).ok, true);
  writeFileSync(file, JSON.stringify([listing("new")]));
  const { pid } = await plane.servers.get("s");
  process.kill(pid ?? assert.fail("it runs in a process"), "SIGKILL");
  await until(
    "the plane has noticed",
    async () => (await plane.servers.get("s")).state !== "connected",
  );
  const first = await plane.call("s.find", { new: "a" });
  assert.equal(first.ok, true, first.error?.message);
  assert.equal((await plane.call("s.find", { old: "a" })).error?.code, "INVALID_ARGUMENTS");
});
