import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { ContextStats } from "../../src/model/catalogue/quality-schema.ts";
import { commandLineFile } from "../fixtures/bundled.ts";
import { fixtureEnvironment, temporaryDirectory } from "../fixtures/start-server.ts";
import { startGateway } from "./gateway-client.ts";
import { listChanged, metaNames, openClient, startLazy } from "./lazy-world.ts";
import { processFixture, runCli, startServe, writeConfig } from "./support.ts";

test("people see what each client has in its context and what it costs", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { one: processFixture("echo") });
  const data = directory.file("data");
  await using serving = await startServe(config, data);
  const lazy = await openClient(`${serving.url}/mcp?mode=lazy`);
  const full = await openClient(`${serving.url}/mcp?mode=full`);
  await lazy.search("select:one.echo");
  await full.names();
  const stats = (await (await fetch(`${serving.url}/stats`)).json()) as ContextStats;
  const [first, second] = stats.sessions ?? [];
  assert.deepEqual(
    [first?.client, first?.era, first?.mode, first?.tools, first?.loaded],
    ["era-client", "legacy", "lazy", 4, ["one.echo"]],
  );
  assert.deepEqual([second?.mode, second?.loaded], ["full", []]);
  assert.ok((first?.loadedTokens ?? 0) > stats.lazy.metaTokens);
  assert.ok((first?.loadedTokens ?? 0) < (second?.loadedTokens ?? 0));
  const shown = await runCli(["stats", "--config", config, "--data-dir", data]);
  assert.match(
    shown.stdout,
    /CLIENT +USER +ERA +MODE +TOOLS +TOKENS +SAVED +LOADED\nera-client .* lazy +4 +\d+ +[\d.]+ % +one.echo/,
  );
  const headers = lazy.client.headersFor();
  await fetch(`${serving.url}/mcp`, { method: "DELETE", headers });
  const after = (await (await fetch(`${serving.url}/stats`)).json()) as ContextStats;
  assert.deepEqual(
    after.sessions?.map(({ mode }) => mode),
    ["full"],
  );
});

test("a caller who may not manage the plane sees their own clients only", async () => {
  await using directory = await temporaryDirectory();
  await using gateway = await startLazy(undefined, {}, { dataDirectory: directory.path });
  const [ann, bob] = await Promise.all(
    ["ann", "bob"].map(async (user) => {
      const { secret } = await gateway.plane.keys.create({ name: user, user, scopes: ["call"] });
      return { authorization: `Bearer ${secret}` };
    }),
  );
  await openClient(gateway.url, "legacy", { headers: ann as Record<string, string> });
  const at = gateway.url.replace(/mcp$/, "stats");
  const seenBy = async (headers: Record<string, string> = {}) =>
    ((await (await fetch(at, { headers })).json()) as ContextStats).sessions?.length;
  assert.deepEqual([await seenBy(ann), await seenBy(bob)], [1, 0]);
  assert.equal((await gateway.plane.stats()).sessions?.length, 1);
});

test("what is above the threshold is loaded when it is needed, unless the client wants it otherwise", async () => {
  for (const [lazy, mode, isLazy] of [
    [{ mode: "auto", thresholdTokens: 100 }, "", true],
    [{ mode: "auto", thresholdTokens: 100_000 }, "", false],
    [{ mode: "never" }, "", false],
    [{ mode: "never" }, "?mode=lazy", true],
    [{ mode: "always" }, "?mode=full", false],
  ] as const) {
    await using gateway = await startLazy(undefined, { lazy });
    const { names } = await openClient(`${gateway.url}${mode}`);
    assert.equal((await names()).includes("call_tool"), isLazy, JSON.stringify([lazy, mode]));
  }
});

test("a command that is spawned gives what is needed, and tells of it once", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { one: processFixture("echo") });
  const place = ["--mode", "lazy", "--config", config, "--data-dir", directory.file("data")];
  await using client = await startGateway(place, {}, () => undefined);
  const names = async () => {
    const { result } = await client.begin("tools/list", {}).answer;
    return ((result?.tools ?? []) as { name: string }[]).map(({ name }) => name);
  };
  assert.deepEqual(await names(), metaNames);
  await client.call("mcp_tool_search", { query: "select:one.echo,one.add" });
  assert.equal(client.told.filter(({ method }) => method === listChanged).length, 1);
  assert.deepEqual(await names(), [...metaNames, "one__echo", "one__add"]);
  assert.equal((await client.call("one__echo", { message: "hi" })).text, "hi");
});

for (const era of ["legacy", "modern"] as const) {
  test(`the official ${era} client finds and calls over stdio`, async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { one: processFixture("echo") });
    const env = Object.fromEntries(
      Object.entries(fixtureEnvironment()).map(([name, value]) => [name, value ?? ""]),
    );
    const args = [
      commandLineFile,
      "mcp",
      "--mode",
      "lazy",
      "--config",
      config,
      "--data-dir",
      directory.file("data"),
    ];
    const transport = new StdioClientTransport({
      command: process.execPath,
      args,
      env,
      stderr: "ignore",
    });
    const mode = era === "modern" ? ({ pin: "2026-07-28" } as const) : "legacy";
    const client = new Client(
      { name: "official", version: "1.0.0" },
      { versionNegotiation: { mode } },
    );
    await client.connect(transport);
    try {
      assert.match(client.getInstructions() ?? "", /mcp_tool_search.*Servers: one/);
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        metaNames,
      );
      const found = await client.callTool({
        name: "mcp_tool_search",
        arguments: { query: "echo a message" },
      });
      assert.match(JSON.stringify(found.structuredContent), /one__echo/);
      const said = await client.callTool({
        name: "call_tool",
        arguments: { name: "one__echo", arguments: { message: "hello" } },
      });
      assert.deepEqual(said.content, [{ type: "text", text: "hello" }]);
    } finally {
      await client.close();
    }
  });
}
