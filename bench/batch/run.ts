import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createPlane } from "../../src/index.ts";
import type { ChatModel } from "../../src/model/agent/chat.ts";
import { type Bar, isMissed, median, renderBars, renderTable, showProgress } from "../report.ts";
import { callDirectly } from "./direct.ts";
import { instantModel } from "./instant-model.ts";
import { callsEach, parallel, prompts, servers } from "./work.ts";

const { values } = parseArgs({
  options: {
    json: { type: "boolean" },
    ms: { type: "string", default: "50" },
    rounds: { type: "string", default: "3" },
  },
});
const server = fileURLToPath(new URL("tool-server.mjs", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "toolplane-bench-"));

type Measured = { ms: number; cpuMs: number; sessions: number; listings: number };

/** Where the servers of one round write down what was asked of them. */
function commandIn(round: string): (name: string) => string[] {
  return (name) => [server, values.ms, join(directory, `${round}-${name}`)];
}

async function measure(round: string, work: () => Promise<unknown>): Promise<Measured> {
  const before = process.cpuUsage();
  const startedAt = performance.now();
  await work();
  const ms = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(before);
  const asked = servers.flatMap((name) => linesIn(join(directory, `${round}-${name}`)));
  const count = (what: string) => asked.filter((line) => line === what).length;
  return {
    ms,
    cpuMs: (user + system) / 1000,
    sessions: count("initialize"),
    listings: count("tools/list"),
  };
}

async function generate(
  round: string,
  baseURL: string,
  model: ChatModel | string,
): Promise<Measured> {
  const command = commandIn(round);
  const mcpServers = Object.fromEntries(
    servers.map((name) => [
      name,
      { command: process.execPath, args: command(name), protocol: "legacy" as const },
    ]),
  );
  await using plane = await createPlane({
    config: { mcpServers, models: { default: { baseURL, model: "scripted" } } },
    dataDirectory: join(directory, round),
  });
  // The raw clients are connected already, too.
  await plane.agent.generate({ prompt: "Prompt 0", model });
  return await measure(round, async () => {
    const requests = Array.from({ length: prompts }, (_, at) => `Prompt ${at}`);
    for await (const { index, generation, error } of plane.agent.generateAll(requests, {
      parallel,
      model,
    })) {
      if (generation?.answer !== "Done." || generation.counters.totalToolCalls !== callsEach)
        throw new Error(`prompt ${index} went wrong: ${error?.message}`);
      showProgress(index + 1, prompts, "prompts");
    }
  });
}

function linesIn(file: string): string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
}

const variants: Record<string, (round: string, url: string) => Promise<Measured>> = {
  "calls alone, raw clients": (round) =>
    callDirectly(commandIn(round), null, (work) => measure(round, work)),
  "generateAll, requests to the model taken out": (round, url) =>
    generate(round, url, instantModel),
  "calls and requests to the model, raw clients": (round, url) =>
    callDirectly(commandIn(round), url, (work) => measure(round, work)),
  "generateAll with the model": (round, url) => generate(round, url, "default"),
};

function report(measured: ReadonlyMap<string, Measured[]>): Bar[] {
  const [direct = [], ours = [], , whole = []] = [...measured.values()];
  const wall = (rounds: Measured[]) => median(rounds.map(({ ms }) => ms));
  const most = (key: "sessions" | "listings") =>
    Math.max(...[...ours, ...whole].map((round) => round[key]));
  const bars: Bar[] = [
    {
      name: "time of generateAll / raw clients",
      value: wall(ours) / wall(direct),
      limit: 1 / 0.9,
      unit: "×",
    },
    { name: "sessions opened", value: most("sessions"), limit: servers.length, unit: "" },
    { name: "listings asked for", value: most("listings"), limit: servers.length, unit: "" },
  ];
  const rows = [...measured].map(([name, rounds]) => {
    const ms = wall(rounds);
    const cpu = median(rounds.map(({ cpuMs }) => cpuMs)) / prompts;
    return [name, ms.toFixed(0), ((prompts * callsEach * 1000) / ms).toFixed(0), cpu.toFixed(2)];
  });
  const table = renderTable(["what", "ms", "calls a second", "ms of CPU a prompt"], rows);
  const shown = values.json ? JSON.stringify({ rows, bars }) : `${table}\n\n${renderBars(bars)}`;
  process.stdout.write(`${shown}\n`);
  return bars;
}

const model = spawn(process.execPath, [fileURLToPath(new URL("model.ts", import.meta.url))], {
  stdio: ["pipe", "pipe", "inherit"],
});
try {
  const url = await new Promise<string>((resolve) =>
    model.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString().trim())),
  );
  const measured = new Map<string, Measured[]>(Object.keys(variants).map((name) => [name, []]));
  for (let round = 0; round < Number(values.rounds); round++)
    for (const [at, [name, run]] of Object.entries(variants).entries())
      measured.get(name)?.push(await run(`${round}-${at}`, url));
  process.exitCode = report(measured).some(isMissed) ? 1 : 0;
} finally {
  model.stdin.end();
  rmSync(directory, { recursive: true, force: true });
}
