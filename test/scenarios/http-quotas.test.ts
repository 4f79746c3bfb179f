import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { projectKeys } from "../../src/config/trust/project-keys.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { startServe, writeConfig } from "./support.ts";

test("one caller holds 32 streams open and no more, and gets them back", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, {});
  await using serving = await startServe(config, directory.file("data"));
  const leaving: AbortController[] = [];
  // A response that nothing refers to is closed when its memory is taken back.
  const held: Response[] = [];
  const listen = async () => {
    const controller = new AbortController();
    leaving.push(controller);
    const response = await fetch(`${serving.url}/events`, { signal: controller.signal });
    held.push(response);
    return response.status;
  };
  const statuses = await Promise.all(Array.from({ length: 40 }, listen));
  assert.deepEqual(
    [statuses.filter((status) => status === 200).length, new Set(statuses)],
    [32, new Set([200, 429])],
  );
  for (const controller of leaving) controller.abort();
  await until("a stream of its own again", async () => (await listen()) === 200);
  for (const controller of leaving) controller.abort();
});

test("how many streams and sessions a caller has is configuration, and a project may only lower it", async () => {
  await using directory = await temporaryDirectory();
  const config = directory.file("few.json");
  await writeFile(
    config,
    JSON.stringify({ mcpServers: {}, quotas: { maxHeldOpen: 1, maxSessionsPerCaller: 1 } }),
  );
  await using serving = await startServe(config, directory.file("data"));
  const leaving = new AbortController();
  const listen = () => fetch(`${serving.url}/events`, { signal: leaving.signal });
  const held = [await listen(), await listen()];
  assert.deepEqual(
    held.map(({ status }) => status),
    [200, 429],
  );
  const begin = () => {
    const params = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    return fetch(`${serving.url}/mcp`, { method: "POST", headers, body });
  };
  const session = { "mcp-session-id": String((await begin()).headers.get("mcp-session-id")) };
  const accept = { accept: "text/event-stream" };
  const stream = await fetch(`${serving.url}/mcp`, {
    headers: { ...session, ...accept },
    signal: leaving.signal,
  });
  assert.equal(stream.status, 200);
  assert.match(await (await begin()).text(), /1 sessions in use/);
  leaving.abort();
  const { maxHeldOpen: guard } = projectKeys.quotas;
  assert.deepEqual([guard(32, 1, () => undefined), guard(32, 64, () => undefined)], [1, 32]);
});
