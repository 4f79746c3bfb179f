import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { bundle } from "../../scripts/bundle.ts";
import { type Bar, isMissed, median, renderBars, renderTable, showProgress } from "../report.ts";

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "15" },
    json: { type: "boolean", default: false },
  },
});
const rounds = Number(flags.rounds);
const root = join(import.meta.dirname, "..", "..");
const directory = mkdtempSync(join(tmpdir(), "toolplane-attach-"));
const script = join(root, "bench", "light-server.sh");
const config = join(directory, "toolplane.json");
const servers = Object.fromEntries(
  Array.from({ length: 10 }, (_, at) => [`s${at}`, { command: "sh", args: [script, "attach"] }]),
);
writeFileSync(config, JSON.stringify({ mcpServers: servers }));
await bundle({ bin: "src/bin.ts" }, join(directory, "dist"));
symlinkSync(join(root, "node_modules"), join(directory, "node_modules"));
const bin = join(directory, "dist", "bin.js");

const hello = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "bench", version: "1" },
  },
};

type Client = { ms: number; child: ChildProcess };

/** From the start of the process to the answer to its first request. */
async function start(data: string, more: readonly string[] = []): Promise<Client> {
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    [bin, "mcp", "--config", config, "--data-dir", join(directory, data), ...more],
    { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, TOOLPLANE_IDLE_EXIT_MS: "0" } },
  );
  child.stdin?.write(`${JSON.stringify(hello)}\n`);
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  await once(lines, "line");
  return { ms: performance.now() - startedAt, child };
}

async function leave({ child }: Client): Promise<void> {
  const ended = once(child, "exit");
  child.stdin?.end();
  await ended;
}

/** A background plane leaves with its last client; the next one is the first again. */
async function untilGone(data: string): Promise<void> {
  const [file] = globSync(join(directory, data, "planes", "*.json"));
  const pid =
    file === undefined ? 0 : (JSON.parse(readFileSync(file, "utf8")) as { pid: number }).pid;
  while (pid !== 0 && existsSync(`/proc/${pid}`))
    await new Promise((resolve) => setTimeout(resolve, 20));
}

async function timed(data: string, more: readonly string[] = []): Promise<number> {
  const client = await start(data, more);
  await leave(client);
  return client.ms;
}

const kept = await start("served");
const variants: Record<string, () => Promise<number>> = {
  "a plane of its own (--standalone)": () => timed("own", ["--standalone"]),
  "attached to a plane that serves": () => timed("served"),
  "first client, starts the plane": async () => {
    const ms = await timed("first");
    await untilGone("first");
    return ms;
  },
};
const times = new Map<string, number[]>(Object.keys(variants).map((name) => [name, []]));
// Two rounds compile what is compiled once.
for (let round = -2; round < rounds; round++) {
  for (const [name, measure] of Object.entries(variants)) {
    const ms = await measure();
    if (round >= 0) times.get(name)?.push(ms);
  }
  showProgress(Math.max(0, round + 1), rounds, "rounds");
}
await leave(kept);
await untilGone("served");
rmSync(directory, { recursive: true, force: true });

const results = [...times].map(([name, values]) => ({ name, ms: median(values) }));
const [own = 0, attached = 0, first = 0] = results.map(({ ms }) => ms);
const bars: Bar[] = [
  { name: "attach", value: attached, limit: 1.3 * own, unit: "ms" },
  { name: "first start in the background", value: first, limit: 1.5 * own, unit: "ms" },
];
if (flags.json) {
  console.log(JSON.stringify({ rounds, results, bars }, null, 2));
} else {
  const rows = results.map(({ name, ms }) => [name, ms.toFixed(0), `${(ms / own).toFixed(2)} ×`]);
  console.log(`${renderTable(["start", "median ms", "× own plane"], rows)}\n\n${renderBars(bars)}`);
}
if (bars.some(isMissed)) process.exitCode = 1;
