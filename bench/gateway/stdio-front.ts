import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Bar, showProgress } from "../report.ts";
import type { McpClient } from "./client.ts";
import { ratioOf, type Timed, timeCalls } from "./measure.ts";
import { echoEntry, echoServer, program, retry } from "./targets.ts";

const message = { message: "m".repeat(100) };
type Front = McpClient & { child: ChildProcess };

/** The gateway on stdio, beside a server and a client of the official SDK back to back. */
export async function measureStdioFront(rounds: number, calls: number, rivals: string): Promise<Bar[]> {
  const ours = await openFront(planeCommand());
  const pair = await openFront([join(import.meta.dirname, "sdk-pair.mjs"), rivals, "stdio", echoServer]);
  const timed = { alone: [[], []] as [Timed[], Timed[]], many: [[], []] as [Timed[], Timed[]] };
  for (let round = -2; round < rounds; round++) {
    for (const [name, inFlight] of [
      ["alone", 1],
      ["many", 16],
    ] as const) {
      for (const [at, front] of [ours, pair].entries()) {
        const one = await timeCalls([front], {
          tool: () => "echo",
          args: message,
          calls: calls * inFlight ** 0.5,
          inFlight,
        });
        if (round >= 0) timed[name][at as 0 | 1].push(one);
      }
    }
    showProgress(Math.max(0, round + 1), rounds, "rounds of the front on stdio");
  }
  for (const { child, close } of [ours, pair]) {
    const exited = once(child, "exit");
    close();
    await exited;
  }
  const fasterPair = 1 / ratioOf(...timed.many, ({ perSecond }) => perSecond);
  const p50 = ratioOf(...timed.alone, ({ p50: one }) => one);
  return [
    { name: "stdio front: the SDK pair's calls/s at 16, × ours", value: fasterPair, limit: 1, unit: "×" },
    { name: "stdio front: p50 at 1 in flight, × the SDK pair", value: p50, limit: 1, unit: "×" },
  ];
}

function planeCommand(): string[] {
  const directory = mkdtempSync(join(tmpdir(), "bench-stdio-"));
  const config = join(directory, "toolplane.json");
  writeFileSync(config, JSON.stringify({ mcpServers: { echo: echoEntry() }, budgets: { maxToolDurationMs: 0 } }));
  const place = ["--config", config, "--data-dir", join(directory, "data")];
  return [program, "mcp", "--standalone", "--mode", "full", "--names", "bare", ...place];
}

async function openFront(args: string[]): Promise<Front> {
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"] });
  const waiting = new Map<number, (line: string) => void>();
  let last = 0;
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const id = Number(/"id":(\d+)/.exec(line)?.[1]);
      waiting.get(id)?.(line);
      waiting.delete(id);
    }
  });
  const send = (sent: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...sent })}\n`);
  const ask = (method: string, params: object) =>
    new Promise<string>((resolve) => {
      const id = ++last;
      waiting.set(id, resolve);
      send({ id, method, params });
    });
  const clientInfo = { name: "bench", version: "1" };
  await ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  send({ method: "notifications/initialized" });
  const list = () => ask("tools/list", {});
  await retry(async () => {
    if (!(await list()).includes('"echo"')) throw new Error("its server is not there yet");
  });
  const call = (name: string, given: object) => ask("tools/call", { name, arguments: given });
  return { child, list, call, close: () => child.stdin.end() };
}
