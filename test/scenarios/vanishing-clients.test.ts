import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { Agent, type ClientRequest, request } from "node:http";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { isWholeTier } from "../fixtures/tier.ts";
import { until } from "../fixtures/until.ts";
import { startServe, writeConfig } from "./support.ts";

const agent = new Agent({ keepAlive: false });
const headers = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};
const clientInfo = { name: "brief", version: "1" };
const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
const initialize = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });

function begin(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/mcp`, { method: "POST", agent, headers }, (answer) => {
      answer.resume().once("end", () => resolve(String(answer.headers["mcp-session-id"])));
    });
    asked.once("error", reject).end(initialize);
  });
}

function listen(url: string, session: string): Promise<ClientRequest> {
  return new Promise((resolve) => {
    const asked = request(
      `${url}/mcp`,
      { agent, headers: { ...headers, "mcp-session-id": session } },
      (answer) => {
        answer.on("error", () => undefined).resume();
        resolve(asked);
      },
    );
    asked.on("error", () => undefined).end();
  });
}

async function beginMany(url: string, count: number): Promise<void> {
  for (let at = 0; at < count; at += 50)
    await Promise.all(Array.from({ length: 50 }, () => begin(url)));
}

test("clients that begin a session and vanish leave no memory behind", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const usedMebibytes = () => {
    collect();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };
  await using directory = await temporaryDirectory();
  await using serving = await startServe(await writeConfig(directory, {}), directory.file("data"));
  await beginMany(serving.url, isWholeTier ? 300 : 100);
  const before = usedMebibytes();
  await beginMany(serving.url, isWholeTier ? 600 : 100);
  const grown = usedMebibytes() - before;
  // 20 MiB for 2,000 of them.
  assert.ok(grown < 6, `${grown} MiB`);
});

const descriptors = "/proc/self/fd";
test("idle streams whose clients vanish give their descriptors back", {
  skip: !existsSync(descriptors),
}, async () => {
  await using directory = await temporaryDirectory();
  await using serving = await startServe(await writeConfig(directory, {}), directory.file("data"));
  const open = () => readdirSync(descriptors).length;
  await begin(serving.url);
  const before = open();
  const count = isWholeTier ? 200 : 30;
  const streams: ClientRequest[] = [];
  for (let at = 0; at < count; at++)
    streams.push(await listen(serving.url, await begin(serving.url)));
  assert.ok(open() >= before + count, "both ends are in this process");
  for (const stream of streams) stream.destroy();
  await until("all descriptors back", () => open() <= before + 5);
});
