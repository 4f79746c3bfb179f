import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type McpClient, openClient } from "./client.ts";

export type Target = {
  name: string;
  client: McpClient;
  /** What this gateway calls a tool of the echo server. */
  toolName(tool: string): string;
  cpuSeconds(): number;
  rssMegabytes(): number;
  close(): Promise<void>;
};

const here = import.meta.dirname;
const root = join(here, "..", "..");
export const echoServer = join(here, "echo-server.mjs");

type Started = { child: ChildProcess; url: string };

export async function openFloor(): Promise<Target> {
  return toTarget("floor", await startAndRead([join(here, "floor.mjs"), echoServer], /http:\S+/), "legacy");
}

/** The plane as `serve` runs it, with everything on. */
export async function openPlane(era: "legacy" | "modern"): Promise<Target> {
  const directory = mkdtempSync(join(tmpdir(), "bench-gateway-"));
  const config = join(directory, "toolplane.json");
  writeFileSync(
    config,
    JSON.stringify({
      mcpServers: { echo: { command: process.execPath, args: [echoServer] } },
      // Large results are to be passed on whole, as by everybody else.
      results: { maxInlineBytes: 0 },
    }),
  );
  const args = ["serve", "--port", "0", "--config", config, "--data-dir", join(directory, "data")];
  const { child, url } = await startAndRead([join(root, "src", "bin.ts"), ...args], /http:\/\/[\d.:]+/);
  const served = { child, url: `${url}/mcp?names=bare` };
  return toTarget(`toolplane, ${era}`, served, era);
}

/** Rivals are installed by whoever wants to compare: `npm install --prefix DIR mcp-hub mcp-proxy supergateway`. */
export async function openRivals(directory: string): Promise<Target[]> {
  const bin = (name: string) => join(directory, "node_modules", ".bin", name);
  const openers: Record<string, (port: number) => { command: string; args: string[] }> = {
    "mcp-proxy": (port) => ({
      command: bin("mcp-proxy"),
      args: ["--port", String(port), "--", process.execPath, echoServer],
    }),
    supergateway: (port) => ({
      command: bin("supergateway"),
      args: [
        ...["--stdio", `${process.execPath} ${echoServer}`, "--port", String(port)],
        ...["--outputTransport", "streamableHttp", "--stateful", "--logLevel", "none"],
      ],
    }),
    "mcp-hub": (port) => {
      const config = join(mkdtempSync(join(tmpdir(), "bench-hub-")), "servers.json");
      writeFileSync(
        config,
        JSON.stringify({ mcpServers: { echo: { command: process.execPath, args: [echoServer] } } }),
      );
      return { command: bin("mcp-hub"), args: ["--port", String(port), "--config", config] };
    },
  };
  const opened: Target[] = [];
  for (const [name, opener] of Object.entries(openers)) {
    const port = await freePort();
    const { command, args } = opener(port);
    const child = spawn(command, args, { stdio: "ignore", detached: true });
    const url = `http://127.0.0.1:${port}/mcp`;
    const target = await retry(() => toTarget(name, { child, url }, "legacy"));
    if (target) opened.push(target);
    else console.error(`${name} did not answer and is left out`);
  }
  return opened;
}

async function toTarget(name: string, { child, url }: Started, era: "legacy" | "modern"): Promise<Target> {
  const client = await openClient(url, era);
  const listed = await retry(async () => {
    const answer = await client.list();
    if (!answer.includes("blob")) throw new Error("its server is not there yet");
    return answer;
  });
  const names = [...(listed ?? "").matchAll(/"name":"([^"]+)"/g)].map(([, found]) => found as string);
  const pid = child.pid as number;
  return {
    name,
    client,
    toolName: (tool) => names.find((found) => found.endsWith(tool)) ?? tool,
    cpuSeconds: () => sum(tree(pid).map((one) => statOf(one).cpuSeconds)),
    rssMegabytes: () => statOf(pid).rssMegabytes,
    async close() {
      client.close();
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill();
      await Promise.race([ended, pause(3_000)]);
      for (const one of tree(pid)) killQuietly(one);
    },
  };
}

async function startAndRead(args: string[], pattern: RegExp): Promise<Started> {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
  let said = "";
  return new Promise((resolve, reject) => {
    // Read to the end: whoever has more to say must find somebody who listens.
    child.stdout.on("data", (chunk) => {
      said += chunk;
      const [url] = pattern.exec(said) ?? [];
      if (url !== undefined) resolve({ child, url });
    });
    child.stdout.on("end", () => reject(new Error(`${args[0]} ended and said: ${said}`)));
  });
}

async function retry<T>(work: () => Promise<T>): Promise<T | undefined> {
  for (let attempt = 0; attempt < 40; attempt++) {
    try {
      return await work();
    } catch {
      await pause(250);
    }
  }
  return undefined;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

/** A process and everything it started. */
function tree(pid: number): number[] {
  const children = readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .filter((entry) => statOf(Number(entry)).parent === pid)
    .flatMap((entry) => tree(Number(entry)));
  return [pid, ...children];
}

function statOf(pid: number): { parent: number; cpuSeconds: number; rssMegabytes: number } {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [, parent = 0] = fields;
    const cpuSeconds = ((fields[11] ?? 0) + (fields[12] ?? 0)) / 100;
    return { parent, cpuSeconds, rssMegabytes: ((fields[21] ?? 0) * 4096) / 1024 / 1024 };
  } catch {
    return { parent: 0, cpuSeconds: 0, rssMegabytes: 0 };
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone already.
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
