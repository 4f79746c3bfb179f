import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Plane } from "../../src/index.ts";
import { EraClient } from "../fixtures/era-client.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { metaNames, openClient, startLazy } from "../scenarios/lazy-world.ts";
import { fixture, type ServerEntry } from "../scenarios/support.ts";

const bin = (name: string, ...args: string[]): ServerEntry => ({
  command: process.execPath,
  args: [fileURLToPath(new URL(`../../node_modules/${name}`, import.meta.url)), ...args],
});
const peer = (name: string, ...args: string[]): ServerEntry => ({
  command: process.execPath,
  args: [fileURLToPath(new URL(`node_modules/${name}`, import.meta.url)), ...args],
});

const official = (directory: string): Record<string, ServerEntry> => ({
  everything: bin("@modelcontextprotocol/server-everything/dist/index.js"),
  filesystem: bin("@modelcontextprotocol/server-filesystem/dist/index.js", directory),
  memory: bin("@modelcontextprotocol/server-memory/dist/index.js"),
  "sequential-thinking": peer("@modelcontextprotocol/server-sequential-thinking/dist/index.js"),
  playwright: peer("@playwright/mcp/cli.js", "--headless"),
});

/** What a client has before it does anything: its tools and its instructions. */
async function costAt(url: string, plane: Plane): Promise<number> {
  const client = await EraClient.open(url, "modern");
  const { tools } = await client.request("tools/list");
  const { instructions } = await client.request("server/discover");
  const counts = await plane.tools.countTokens([JSON.stringify(tools), String(instructions)]);
  return counts.reduce((sum, one) => sum + one, 0);
}

test("five official servers cost 450 tokens at most, and every tool of theirs is reached", async () => {
  await using directory = await temporaryDirectory();
  await using gateway = await startLazy(official(directory.path), { lazy: { mode: "auto" } });
  const all = await gateway.plane.tools.list();
  assert.ok(all.length >= 62, `only ${all.length} tools`);
  const cost = await costAt(gateway.url, gateway.plane);
  assert.ok(cost <= 450, `${cost} tokens`);
  const { names, search, call } = await openClient(gateway.url, "legacy");
  assert.deepEqual(await names(), metaNames);
  for (const server of Object.keys(official(directory.path)))
    assert.match((await call("mcp_tool_list", { server })).text, new RegExp(`- ${server}__`));
  for (const { name, modelName } of all) {
    const { tools } = await search(`select:${name}`);
    assert.deepEqual(
      tools.map((one) => one.name),
      [modelName],
    );
  }
  const sum = await call("call_tool", { name: "everything__get-sum", arguments: { a: 2, b: 3 } });
  assert.match(sum.text, /5/);
  const [session] = (await gateway.plane.stats()).sessions ?? [];
  assert.ok((session?.loadedTokens ?? 0) <= 12_000 + cost, String(session?.loadedTokens));
});

test("one server costs hardly less, and a hundred not much more", async () => {
  await using one = await startLazy({ one: fixture("echo") });
  const single = await costAt(one.url, one.plane);
  const hundred = Array.from({ length: 100 }, (_, at) => [
    `department-server-${at}`,
    fixture("echo"),
  ]);
  await using many = await startLazy(Object.fromEntries(hundred), {}, { offline: true });
  const all = await costAt(many.url, many.plane);
  assert.ok(single <= 400 && all <= 600, `${single} and ${all} tokens`);
});
