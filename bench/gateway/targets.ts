import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type McpClient, openClient } from "./client.ts";
import { openSseClient } from "./sse-client.ts";

export type Target = {
  name: string;
  url: string;
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

export type Started = { child: ChildProcess; url: string };

export async function openFloor(servers = 1, args: readonly string[] = []): Promise<Target> {
  const floor = [join(here, "floor.mjs"), String(servers), echoServer, ...args];
  return toTarget("floor", await startAndRead(floor, /http:\S+/), "legacy");
}

/** The same promises as the plane's, as one straight function. */
export async function openGovernedFloor(): Promise<Target> {
  const directory = mkdtempSync(join(tmpdir(), "bench-governed-"));
  const started = await startAndRead([join(here, "governed-floor.mjs"), directory, echoServer], /http:\S+/);
  return toTarget("governed floor", started, "legacy");
}

/** What users run, where it is built; otherwise the source. `BENCH_PROGRAM` is another build of it. */
export const program =
  process.env.BENCH_PROGRAM ??
  (existsSync(join(root, "dist", "bin.js")) ? join(root, "dist", "bin.js") : join(root, "src", "bin.ts"));

type ServerEntry = { command: string; args: readonly string[] } | { url: string };

export const echoEntry = (...args: readonly number[]): ServerEntry => ({
  command: process.execPath,
  args: [echoServer, ...args.map(String)],
});

export type PlaneOptions = { servers?: Record<string, ServerEntry>; directory?: string; names?: string };

/** The plane as `serve` runs it, with everything on. */
export async function startPlane({
  servers = { echo: echoEntry() },
  directory = mkdtempSync(join(tmpdir(), "bench-gateway-")),
  names = "bare",
}: PlaneOptions = {}): Promise<Started> {
  const config = join(directory, "toolplane.json");
  writeFileSync(
    config,
    JSON.stringify({
      mcpServers: servers,
      // Large results are passed on whole, as by the others, and one client makes all the calls.
      results: { maxInlineBytes: 0 },
      budgets: { maxToolDurationMs: 0 },
    }),
  );
  const args = ["serve", "--port", "0", "--config", config, "--data-dir", join(directory, "data")];
  const { child, url } = await startAndRead([program, ...args], /http:\/\/[\d.:]+/);
  return { child, url: `${url}/mcp?names=${names}&mode=full` };
}

export async function openPlane(era: "legacy" | "modern", options: PlaneOptions = {}): Promise<Target> {
  return toTarget(`toolplane, ${era}`, await startPlane(options), era);
}

export async function toTarget(
  name: string,
  { child, url }: Started,
  speaks: "legacy" | "modern" | "sse",
): Promise<Target> {
  const client = speaks === "sse" ? await openSseClient(url) : await openClient(url, speaks);
  const listed = await retry(async () => {
    const answer = await client.list();
    if (!answer.includes("blob")) throw new Error("its server is not there yet");
    return answer;
  });
  const names = [...(listed ?? "").matchAll(/"name":"([^"]+)"/g)].map(([, found]) => found as string);
  const pid = child.pid as number;
  return {
    name,
    url,
    client,
    toolName: (tool) => names.find((found) => found.endsWith(tool)) ?? tool,
    cpuSeconds: () => sum(tree(pid).map((one) => statOf(one).cpuSeconds)),
    rssMegabytes: () => statOf(pid).rssMegabytes,
    async close() {
      client.close();
      await stop({ child });
    },
  };
}

/** Ends it and everything it started. */
export async function stop({ child }: Pick<Started, "child">): Promise<void> {
  const all = tree(child.pid as number);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill();
  await Promise.race([ended, pause(3_000)]);
  for (const one of all) killQuietly(one);
}

export async function startAndRead(args: string[], pattern: RegExp): Promise<Started> {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
  let said = "";
  return new Promise((resolve, reject) => {
    // Read to the end, so that a late write does not fail.
    child.stdout.on("data", (chunk) => {
      said += chunk;
      const [url] = pattern.exec(said) ?? [];
      if (url !== undefined) resolve({ child, url });
    });
    child.stdout.on("end", () => reject(new Error(`${args[0]} ended and said: ${said}`)));
  });
}

export async function retry<T>(work: () => Promise<T>): Promise<T | undefined> {
  for (let attempt = 0; attempt < 40; attempt++) {
    try {
      return await work();
    } catch {
      await pause(250);
    }
  }
  return undefined;
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
