import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plane, ServerStatus } from "../../../src/index.ts";
import { hangMs } from "../../fixtures/patience.ts";
import { fixtureEnvironment, stopProcess } from "../../fixtures/start-server.ts";
import { until } from "../../fixtures/until.ts";
import { getJson } from "../requests.ts";
import { isAlive, type ServerEntry } from "../support.ts";

/** One line of what a rogue really saw. */
export type Sighting = {
  t: number;
  pid: number;
  ev: string;
  method?: string;
  id?: number | string;
  tool?: string;
  [field: string]: unknown;
};

/** A status with the fields that the connection engine promises. */
export type RogueStatus = ServerStatus & { noise?: number; pending?: number };

export type Rogue = AsyncDisposable & { url: string; port: number; tell(line: string): void };

function rogueFile(name: string): string {
  return fileURLToPath(new URL(`../../fixtures/rogue/${name}.mjs`, import.meta.url));
}

/** A server entry that runs a rogue. It ends by itself, so that a failing test leaves nothing behind. */
export function rogue(
  name: string,
  args: readonly string[] = [],
  more: ServerEntry = {},
): ServerEntry {
  return { command: process.execPath, args: [rogueFile(name), "--ttl", "90", ...args], ...more };
}

/** A rogue that listens, ready when it says where. */
export async function startRogue(name: string, args: readonly string[] = []): Promise<Rogue> {
  const child = spawn(process.execPath, [rogueFile(name), "--ttl", "90", ...args], {
    stdio: ["pipe", "pipe", "inherit"],
    env: fixtureEnvironment(),
  });
  child.stdin.on("error", () => undefined);
  const { listening, url = "" } = await firstLine(child, name);
  return {
    url,
    port: listening,
    tell: (line) => void child.stdin.write(`${line}\n`),
    [Symbol.asyncDispose]: () => stopProcess(child),
  };
}

function firstLine(
  child: ChildProcess,
  name: string,
): Promise<{ listening: number; url?: string }> {
  return new Promise((resolve, reject) => {
    let output = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const end = output.indexOf("\n");
      if (end >= 0) resolve(JSON.parse(output.slice(0, end)));
    });
    child.once("exit", (code) => reject(new Error(`rogue ${name} exited with ${code}`)));
  });
}

/** The lines of a `--log` or a `--ledger` so far. A line that is still being written is left for later. */
export function oracle(file: string, event?: string): Sighting[] {
  if (!existsSync(file)) return [];
  const text = readFileSync(file, "utf8");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
  const seen = whole.filter((line) => line !== "").map((line) => JSON.parse(line) as Sighting);
  return event === undefined ? seen : seen.filter(({ ev }) => ev === event);
}

/** The requests and notifications of one method that really arrived. */
export function received(file: string, method: string, tool?: string): Sighting[] {
  const all = oracle(file, "recv").filter((seen) => seen.method === method);
  return tool === undefined ? all : all.filter((seen) => seen.tool === tool);
}

export function startsIn(file: string): Sighting[] {
  return oracle(file, "start");
}

export function aliveIn(file: string): number[] {
  return [...new Set(oracle(file).map(({ pid }) => pid))].filter(isAlive);
}

export async function statusOf(source: Plane | string, server: string): Promise<RogueStatus> {
  const servers =
    typeof source === "string"
      ? ((await getJson(`${source}/servers`)).body.servers as RogueStatus[])
      : ((await source.servers.list()) as RogueStatus[]);
  const found = servers.find(({ name }) => name === server);
  assert.ok(found, `no server '${server}' in the status`);
  return found;
}

/** The status of a server while it rests after a failure: what it says of both has to be of one moment. */
export async function restingStatus(
  source: Plane | string,
  server: string,
): Promise<RogueStatus & { error: string; nextRetryAt: string }> {
  let found: RogueStatus | undefined;
  await until(`a failure of '${server}' with its next try`, async () => {
    found = await statusOf(source, server);
    return found.error !== null && found.nextRetryAt !== null;
  });
  return found as RogueStatus & { error: string; nextRetryAt: string };
}

/** Polls a question that has to be awaited, and returns how long its answer took. */
export async function eventually(
  what: string,
  ask: () => Promise<boolean>,
  everyMs = 100,
): Promise<number> {
  const startedAt = Date.now();
  while (!(await ask())) {
    assert.ok(Date.now() - startedAt < hangMs, `${what} did not happen`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  return Date.now() - startedAt;
}
