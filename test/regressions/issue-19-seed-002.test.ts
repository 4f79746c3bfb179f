import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { suite, test } from "node:test";
import { startGateway } from "../fixtures/conformance/start-gateway.ts";
import { EraClient } from "../fixtures/era-client.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { eventually } from "../scenarios/approving.ts";
import { getJson } from "../scenarios/requests.ts";
import { fixture, runCli, startServe, writeConfig } from "../scenarios/support.ts";

suite("seed 002 beyond the rows", { concurrency: 2 }, () => {
  test("a server that is disconnected and connected again is asked for its tools, however young its list is", async () => {
    await using directory = await temporaryDirectory();
    const file = directory.file("lists.json");
    const says = (...names: string[]) =>
      writeFile(file, JSON.stringify({ tools: names.map((name) => ({ name, inputSchema: { type: "object" } })) }));
    await says("one");
    const config = await writeConfig(directory, { s: fixture("offering", ["--lists", file]) });
    await using serving = await startServe(config, directory.file("data"));
    const listed = () =>
      eventually("that it lists its tools", async () => {
        const { body } = await getJson(`${serving.url}/tools?server=s`);
        return (body.tools as { name: string }[] | undefined)?.map(({ name }) => name);
      });
    const post = async (verb: string) => {
      const { status } = await fetch(`${serving.url}/servers/s/${verb}`, { method: "POST", headers: serving.proof });
      assert.equal(status, 200);
    };
    assert.deepEqual(await listed(), ["s.one"]);
    await post("disconnect");
    await says("one", "two");
    await post("connect");
    assert.deepEqual(await listed(), ["s.one", "s.two"]);
    const called = await fetch(`${serving.url}/tools/s.two/call`, { method: "POST", body: '{"arguments":{}}' });
    assert.equal(called.status, 200);
  });

  test("mcp_context_stats says what the tools of each server cost, and is in no list", async () => {
    await using directory = await temporaryDirectory();
    const config = { mcpServers: { echo: fixture("echo") }, lazy: { mode: "always" as const } };
    await using running = await startGateway({}, { plane: { config, dataDirectory: directory.path } });
    const client = await EraClient.open(running.url, "legacy");
    const { tools } = (await client.request("tools/list")) as { tools: { name: string }[] };
    assert.ok(!tools.some(({ name }) => name === "mcp_context_stats"));
    const { structuredContent } = await client.request("tools/call", { name: "mcp_context_stats", arguments: {} });
    const { servers } = structuredContent as { servers: { name: string; fullTokens: number; summaryTokens: number }[] };
    assert.equal(servers[0]?.name, "echo");
    assert.ok((servers[0]?.fullTokens ?? 0) > (servers[0]?.summaryTokens ?? 0));
  });

  test("client options at the top level mean what they mean under lazy", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(
      directory,
      { echo: fixture("echo") },
      { lazyLoading: true, alwaysLoadTools: ["echo.add"], summaryDescriptionLimit: 40, maxToolsPerSearch: 2 },
    );
    const { stdout, stderr } = await runCli(["config", "show", "--json", "--config", config]);
    const { lazy } = JSON.parse(stdout);
    assert.deepEqual(
      [lazy.mode, lazy.alwaysLoadTools, lazy.summaryDescriptionLimit, lazy.maxToolsPerSearch],
      ["always", ["echo.add"], 40, 2],
      stderr,
    );
  });

  test("/mcp tools shows scores, /mode sets the mode of the next calls, and /show-plan what waits", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { echo: fixture("echo") });
    const place = ["--config", config, "--data-dir", directory.file("data"), "--standalone"];
    const input = ["/mcp tools echo", "/mode plan", "/mode", "/show-plan", "/mode nonsense"].join("\n");
    const { stdout, stderr } = await runCli(["chat", ...place], { input: `${input}\n` });
    assert.match(stdout, /[●○] echo\.add +\d+ .*\n[\s\S]*quality: \d+ and more passes, \d+ failed/);
    assert.match(stdout, /plan/);
    assert.match(stdout + stderr, /build, debug, plan, review|build|review/);
  });
});
