import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { createPlane } from "../../src/index.ts";
import type { ContextStats } from "../../src/model/catalogue/quality-schema.ts";
import { startGateway } from "../fixtures/conformance/start-gateway.ts";
import { EraClient } from "../fixtures/era-client.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture, runCli, startServe, writeConfig } from "./support.ts";

const tool = (at: number) => ({
  name: `tool_${at}`,
  description: `Tool number ${at} of this server. ${"It does this and that with what it is given. ".repeat(4)}`,
  inputSchema: {
    type: "object",
    properties: Object.fromEntries(
      ["id", "team", "limit", "since", "until", "fields"].map((name) => [
        name,
        { type: "string", description: `The ${name} of what is asked for, as text`, maxLength: 64 },
      ]),
    ),
    required: ["id"],
  },
});

async function place(directory: TemporaryDirectory, count: number, more: object = {}) {
  const file = directory.file("listings.json");
  await writeFile(file, JSON.stringify([Array.from({ length: count }, (_, at) => tool(at))]));
  const servers = { many: fixture("scripted-list", ["--tools", file]), echo: fixture("echo") };
  const config = await writeConfig(directory, servers, {
    results: { builtinTool: false },
    ...more,
  });
  return { config, dataDirectory: directory.file("data") };
}

test("fifty tools cost what their definitions are long, and nearly nothing where they are loaded when needed", async () => {
  await using directory = await temporaryDirectory();
  const { config, dataDirectory } = await place(directory, 50);
  const where = ["--config", config, "--data-dir", dataDirectory];
  const { tokenizer, servers, totals, lazy, tools } = (
    await runCli(["stats", "--json", ...where])
  ).json() as unknown as ContextStats;
  assert.match(tokenizer, /^o200k_base/);
  assert.equal(tools, undefined);
  assert.deepEqual(
    servers.map(({ name, tools: count }) => [name, count]),
    [
      ["many", 50],
      ["echo", servers[1]?.tools],
    ],
  );
  assert.equal(
    totals.fullTokens,
    servers.reduce((sum, { fullTokens }) => sum + fullTokens, 0),
  );
  assert.ok(
    totals.fullTokens > 8_000 && totals.summaryTokens * 3 < totals.fullTokens,
    JSON.stringify(totals),
  );
  assert.ok(totals.savedPercent >= 80, JSON.stringify(totals));
  assert.equal(lazy.isActive, true);
  const shown = await runCli(["stats", "--server", "many", "--tools", ...where]);
  assert.match(shown.stdout, /^SERVER +TOOLS +FULL +SUMMARY +LOADED +SAVED\nmany +50 /);
  assert.match(shown.stdout, /\nTOOL +FULL/);
  assert.match(shown.stderr, /o200k_base/);
  const first = await runCli(["stats", "--tools", "--limit", "2", "--json", ...where]);
  const { tools: few, totals: same } = first.json() as unknown as ContextStats;
  assert.deepEqual([few?.length, same.tools], [2, totals.tools], "only what is listed is less");
  assert.ok((few?.[0]?.fullTokens ?? 0) >= (few?.[1]?.fullTokens ?? 0));
  assert.match(
    (await runCli(["stats", "--limit", "0", ...where])).stderr,
    /integer from 1 to 1000/,
  );
});

test("what is always loaded is counted as loaded, and few tools are given whole", async () => {
  await using directory = await temporaryDirectory();
  const lazy = { alwaysLoadTools: ["many.*"] };
  await using plane = await createPlane(await place(directory, 2, { lazy }));
  const { servers, lazy: told } = await plane.stats({ tools: true });
  assert.deepEqual(
    servers.map(({ name, fullTokens, loadedTokens, savedPercent }) => [
      name,
      loadedTokens === fullTokens,
      savedPercent,
    ]),
    [
      ["echo", false, 100],
      ["many", true, 0],
    ].sort((a, b) => (a[0] === servers[0]?.name ? -1 : b[0] === servers[0]?.name ? 1 : 0)),
  );
  assert.equal(told.isActive, false);
  assert.equal(await plane.tools.isLazy(), false);
});

test("whether definitions are too much for a model follows the configuration", async () => {
  for (const [lazy, expected] of [
    [{ thresholdTokens: 100 }, true],
    [{ mode: "never", thresholdTokens: 100 }, false],
    [{ mode: "always" }, true],
    [{ thresholdTokens: 100_000 }, false],
  ] as const) {
    await using directory = await temporaryDirectory();
    await using plane = await createPlane(await place(directory, 3, { lazy }));
    assert.equal(await plane.tools.isLazy(), expected, JSON.stringify(lazy));
  }
});

test("the same numbers are reported over HTTP", async () => {
  await using directory = await temporaryDirectory();
  const { config, dataDirectory } = await place(directory, 3);
  await using serving = await startServe(config, dataDirectory);
  await (
    await fetch(`${serving.url}/registry/refresh`, {
      method: "POST",
      headers: serving.proof,
      body: "{}",
    })
  ).text();
  const stats = (await (
    await fetch(`${serving.url}/stats?server=many&tools=true`)
  ).json()) as ContextStats;
  assert.equal(stats.totals.tools, 3);
  assert.equal(stats.tools?.length, 3);
});

test("mcp_context_stats says what the tools of each server cost, and is in no list", async () => {
  await using directory = await temporaryDirectory();
  const config = { mcpServers: { echo: fixture("echo") }, lazy: { mode: "always" as const } };
  await using running = await startGateway(
    {},
    { plane: { config, dataDirectory: directory.path } },
  );
  const client = await EraClient.open(running.url, "legacy");
  const { tools } = (await client.request("tools/list")) as { tools: { name: string }[] };
  assert.ok(!tools.some(({ name }) => name === "mcp_context_stats"));
  const { structuredContent } = await client.request("tools/call", {
    name: "mcp_context_stats",
    arguments: {},
  });
  const { servers } = structuredContent as {
    servers: { name: string; fullTokens: number; summaryTokens: number }[];
  };
  assert.equal(servers[0]?.name, "echo");
  assert.ok((servers[0]?.fullTokens ?? 0) > (servers[0]?.summaryTokens ?? 0));
});
