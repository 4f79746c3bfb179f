import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Bar, median, showProgress } from "../report.ts";
import { type McpClient, openClient } from "./client.ts";
import { ratioOf, type Timed, timeCalls } from "./measure.ts";
import { echoEntry, echoServer, openFloor, openPlane, startAndRead, startPlane, stop } from "./targets.ts";

const message = { message: "m".repeat(100) };
const echoHttp = join(import.meta.dirname, "echo-http.mjs");

/** A server that is reached over HTTP, beside a client that asks it without anybody in between. */
export async function measureHttpBehind(rounds: number, calls: number): Promise<Bar[]> {
  const server = await startAndRead([echoHttp], /http:\S+/);
  const plane = await openPlane("legacy", { servers: { echo: { url: server.url } } });
  const raw = await openClient(server.url, "legacy");
  const ours: Timed[] = [];
  const theirs: Timed[] = [];
  for (let round = -2; round < rounds; round++) {
    const load = { tool: () => "echo", args: message, calls };
    const through = await timeCalls([plane.client], load);
    const straight = await timeCalls([raw], load);
    if (round < 0) continue;
    ours.push(through);
    theirs.push(straight);
    showProgress(round + 1, rounds, "rounds of HTTP servers behind");
  }
  raw.close();
  await plane.close();
  await stop(server);
  const value = ratioOf(ours, theirs, ({ p50 }) => p50);
  return [{ name: "HTTP server behind, p50, × a raw client", value, limit: 5, unit: "×" }];
}

/** Many servers and many clients at once. */
export async function measureFanOut(rounds: number, calls: number): Promise<Bar[]> {
  const servers = 30;
  const sessions = 64;
  const names = Array.from({ length: servers }, (_, at) => `s${at}`);
  const floor = await openFloor(servers);
  const plane = await openPlane("legacy", {
    servers: Object.fromEntries(names.map((name) => [name, echoEntry()])),
    names: "prefixed",
  });
  await listed(plane.client, names.length * 2);
  const open = (url: string) => Promise.all(Array.from({ length: sessions }, () => openClient(url, "legacy")));
  const ourClients = await open(plane.url);
  const theirClients = await open(floor.url);
  const load = { tool: (at: number) => `s${at % servers}__echo`, args: message, calls };
  const ours: Timed[] = [];
  const theirs: Timed[] = [];
  for (let round = -2; round < rounds; round++) {
    const one = await timeCalls(ourClients, load);
    const other = await timeCalls(theirClients, load);
    if (round < 0) continue;
    ours.push(one);
    theirs.push(other);
    showProgress(round + 1, rounds, "rounds of fan-out");
  }
  for (const client of [...ourClients, ...theirClients]) client.close();
  await Promise.all([plane.close(), floor.close()]);
  const errors = ours.reduce((sum, one) => sum + one.errors, 0);
  return [
    {
      name: "fan-out: the floor's calls/s, × ours",
      value: 1 / ratioOf(ours, theirs, ({ perSecond }) => perSecond),
      limit: 2,
      unit: "×",
    },
    {
      name: "fan-out: p99, × the floor",
      value: ratioOf(ours, theirs, ({ p99 }) => p99),
      limit: 2,
      unit: "×",
    },
    { name: "fan-out: errors", value: errors, limit: 0, unit: "" },
  ];
}

/** From nothing to the whole list, and the same with what is known from the last time. */
export async function measureColdStart(rounds: number): Promise<Bar[]> {
  const servers = 30;
  const startMs = 300;
  const names = Array.from({ length: servers }, (_, at) => `s${at}`);
  const entries = Object.fromEntries(names.map((name) => [name, echoEntry(0, startMs)]));
  const ratios: number[] = [];
  const firstLists: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const rawMs = await timed(() => Promise.all(names.map(() => listByHand(startMs))));
    const directory = mkdtempSync(join(tmpdir(), "bench-cold-"));
    const cold = await startUntilListed(entries, directory, servers * 2);
    ratios.push(cold.ms / rawMs);
    const warm = await startUntilListed(entries, directory, servers * 2);
    firstLists.push(warm.firstListMs);
    if (!warm.isWhole) throw new Error("The first list after a restart was not the whole list.");
    showProgress(round + 1, rounds, "cold starts");
  }
  return [
    { name: "cold start of 30 servers, × raw in parallel", value: median(ratios), limit: 1.2, unit: "×" },
    {
      name: `first list with a stored catalogue (servers take ${startMs} ms)`,
      value: median(firstLists),
      limit: startMs,
      unit: "ms",
    },
  ];
}

/** A large catalogue: its list, and a call beside it. */
export async function measureManyTools(rounds: number, calls: number): Promise<Bar[]> {
  const extra = 5_000;
  const floor = await openFloor(1, [String(extra)]);
  const large = await openPlane("legacy", { servers: { echo: echoEntry(extra) } });
  const small = await openPlane("legacy");
  const lists: number[] = [];
  const callsOfLarge: Timed[] = [];
  const callsOfSmall: Timed[] = [];
  for (let round = -2; round < rounds; round++) {
    const ours = await timed(() => large.client.list());
    const theirs = await timed(() => floor.client.list());
    const load = { tool: () => "echo", args: message, calls };
    const one = await timeCalls([large.client], load);
    const other = await timeCalls([small.client], load);
    if (round < 0) continue;
    lists.push(ours / theirs);
    callsOfLarge.push(one);
    callsOfSmall.push(other);
    showProgress(round + 1, rounds, "rounds of many tools");
  }
  await Promise.all([floor.close(), large.close(), small.close()]);
  const call = ratioOf(callsOfLarge, callsOfSmall, ({ p50 }) => p50);
  return [
    { name: "list of 5,000 tools, × the floor", value: median(lists), limit: 1.3, unit: "×" },
    { name: "call beside 5,000 tools, × beside two", value: call, limit: 1.15, unit: "×" },
  ];
}

async function startUntilListed(
  servers: Record<string, ReturnType<typeof echoEntry>>,
  directory: string,
  tools: number,
) {
  const from = performance.now();
  const started = await startPlane({ servers, directory, names: "prefixed" });
  const client = await openClient(started.url, "legacy");
  let first = "";
  const firstListMs = await timed(async () => {
    first = await client.list();
  });
  await listed(client, tools);
  const ms = performance.now() - from;
  client.close();
  await stop(started);
  return { ms, firstListMs, isWhole: countTools(first) >= tools };
}

async function listed(client: McpClient, tools: number): Promise<void> {
  while (countTools(await client.list()) < tools) await pause(5);
}

function countTools(list: string): number {
  return [...list.matchAll(/"inputSchema":/g)].length;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

/** What it takes at least: start the server, shake hands, ask for its list. */
function listByHand(startMs: number): Promise<void> {
  const child = spawn(process.execPath, [echoServer, "0", String(startMs)], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "raw", version: "1" },
  };
  const say = (given: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...given })}\n`);
  say({ id: 1, method: "initialize", params });
  return new Promise((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      if (chunk.includes('"id":1')) {
        say({ method: "notifications/initialized" });
        say({ id: 2, method: "tools/list" });
      }
      if (!chunk.includes('"id":2')) return;
      child.kill();
      resolve();
    });
  });
}
