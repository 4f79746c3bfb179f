import assert from "node:assert/strict";
import { test } from "node:test";
import { EraClient } from "../fixtures/era-client.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { getJson, postCall } from "./requests.ts";
import { fixture, startServe, writeConfig } from "./support.ts";

test("what is asked of the API in the moment a plane serves is answered, however much comes at once", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { echo: fixture("echo") });
  await using serving = await startServe(config, directory.file("data"));
  const body = { arguments: { message: "m".repeat(200_000) } };
  const [health, call, missing, ...lists] = await Promise.all([
    getJson(`${serving.url}/healthz`),
    postCall(serving.url, "echo.echo", body),
    getJson(`${serving.url}/nothing-here`),
    ...Array.from({ length: 10 }, () => getJson(`${serving.url}/tools`)),
  ]);
  assert.deepEqual([health.status, call.status, missing.status], [200, 200, 404]);
  assert.equal(call.body.ok, true);
  assert.deepEqual(new Set(lists.map(({ status }) => status)), new Set([200]));
});

test("the numbers count what MCP clients called before anybody asked the API for anything", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { echo: fixture("echo") });
  await using serving = await startServe(config, directory.file("data"));
  const client = await EraClient.open(`${serving.url}/mcp?names=bare&mode=full`, "legacy");
  for (const message of ["one", "two", "three"])
    await client.request("tools/call", { name: "echo", arguments: { message } });
  const text = await (await fetch(`${serving.url}/metrics`)).text();
  assert.match(text, /^toolplane_calls_total\{tool="echo.echo",status="succeeded"\} 3$/m);
});
