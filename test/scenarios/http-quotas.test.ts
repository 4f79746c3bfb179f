import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { guards } from "../../src/config/trust/guards.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { startServe, writeConfig } from "./support.ts";

test("one caller holds 32 streams open and no more, and gets them back", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, {});
  await using serving = await startServe(config, directory.file("data"));
  const leaving: AbortController[] = [];
  const listen = async () => {
    const controller = new AbortController();
    leaving.push(controller);
    return (await fetch(`${serving.url}/events`, { signal: controller.signal })).status;
  };
  const statuses = await Promise.all(Array.from({ length: 40 }, listen));
  assert.deepEqual([statuses.filter((status) => status === 200).length, new Set(statuses)], [32, new Set([200, 429])]);
  for (const controller of leaving) controller.abort();
  const deadline = Date.now() + 20_000;
  let again = await listen();
  while (again === 429 && Date.now() < deadline) again = await listen();
  assert.equal(again, 200);
  for (const controller of leaving) controller.abort();
});

test("how many streams and sessions a caller has is configuration, and a project may only lower it", async () => {
  await using directory = await temporaryDirectory();
  const config = directory.file("few.json");
  await writeFile(config, JSON.stringify({ mcpServers: {}, quotas: { maxHeldOpen: 1, maxSessionsPerCaller: 1 } }));
  await using serving = await startServe(config, directory.file("data"));
  const leaving = new AbortController();
  const listen = async () => (await fetch(`${serving.url}/events`, { signal: leaving.signal })).status;
  assert.deepEqual([await listen(), await listen()], [200, 429]);
  const begin = () => {
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    return fetch(`${serving.url}/mcp`, { method: "POST", headers, body });
  };
  const session = { "mcp-session-id": String((await begin()).headers.get("mcp-session-id")) };
  const accept = { accept: "text/event-stream" };
  const stream = await fetch(`${serving.url}/mcp`, { headers: { ...session, ...accept }, signal: leaving.signal });
  assert.equal(stream.status, 200);
  assert.match(await (await begin()).text(), /1 sessions in use/);
  leaving.abort();
  const guard = guards["quotas.maxHeldOpen"];
  assert.deepEqual([guard?.(32, 1), guard?.(32, 64)], [1, 32]);
});
