import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createPlane } from "../../src/index.ts";

const server = fileURLToPath(new URL("place-server.ts", import.meta.url));
const way = (name: string, priority: number) => ({
  name: "mcp",
  priority,
  health_check_interval: 0,
  config: { server: name, tool: "where" },
});

await using plane = await createPlane({
  config: {
    mcpServers: {
      near: { command: process.execPath, args: [server, "near"] },
      far: { command: process.execPath, args: [server, "far"] },
    },
    tools: {
      where: {
        name: "where",
        description: "Tells which server answers.",
        side_effects: "none",
        providers: [way("near", 0), way("far", 10)],
      },
    },
  },
});

async function ask(): Promise<string> {
  const { result, call, error } = await plane.call("where");
  const text = String(result?.content[0]?.text ?? error?.message);
  console.log(
    `${text.padEnd(6)} by ${call.provider}, ${call.attempts} attempt${call.attempts === 1 ? "" : "s"}`,
  );
  return text;
}

assert.equal(await ask(), "near");

const { pid } = await plane.servers.get("near");
console.log("killing the preferred server, and keeping it down …");
process.kill(Number(pid), "SIGKILL");
await plane.servers.disconnect("near");
assert.equal(await ask(), "far");

const { health } = await plane.tools.get("where");
const { backoff_until, last_error } = health.providers["mcp:near"]?.router ?? {};
console.log(`near has a cooldown until ${backoff_until}: ${last_error}`);
assert.ok(backoff_until);

await plane.servers.connect("near");
await sleep(Math.max(0, Date.parse(backoff_until) - Date.now()) + 50);
assert.equal(await ask(), "near");
