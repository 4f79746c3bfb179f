import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createPlane, type Plane } from "../../src/index.ts";
import { type Bar, isMissed, renderBars, renderTable, showProgress } from "../report.ts";
import { killPlane, type PlaneKill } from "./plane-kills.ts";
import { kill, type MarkedProcess, markedProcesses } from "./processes.ts";
import { createRandom } from "./random.ts";
import { killAllAndWait } from "./recovery.ts";
import { tenServers } from "./servers.ts";
import { newTally, runSessions, type Tally } from "./sessions.ts";

const { values: flags } = parseArgs({
  options: {
    connects: { type: "string", default: "10000" },
    kills: { type: "string", default: "5" },
    "plane-kills": { type: "string", default: "20" },
    seed: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
  },
});
const connects = Number(flags.connects);
const planeKills = Number(flags["plane-kills"]);
const warmUp = 500;
const planeGoneLimitMs = 15_000;
const megabyte = 1024 * 1024;

if (!existsSync("/proc/self/environ")) {
  console.error(
    "This benchmark counts processes in /proc, which only Linux has. Run it in a container.",
  );
  process.exit(2);
}
if (globalThis.gc === undefined) {
  const again = ["--expose-gc", ...process.execArgv, ...process.argv.slice(1)];
  process.exit(spawnSync(process.execPath, again, { stdio: "inherit" }).status ?? 1);
}

type Memory = { rss: number; heap: number };

async function settledMemory(): Promise<Memory> {
  // V8 keeps the pages it took for speed until it is asked to give them back, as `toolplane serve` does when it is quiet.
  const collect = globalThis.gc as unknown as (options: {
    type: "major";
    flavor: "last-resort";
  }) => void;
  for (let round = 0; round < 3; round++) {
    collect({ type: "major", flavor: "last-resort" });
    await new Promise(setImmediate);
  }
  const { rss, heapUsed } = process.memoryUsage();
  return { rss: rss / megabyte, heap: heapUsed / megabyte };
}

async function chaos(plane: Plane, run: string) {
  const names = Object.keys(plane.config().servers);
  const random = createRandom(Number(flags.seed));
  const sessions = async (count: number, what: string): Promise<Tally> => {
    const tally = newTally();
    const onSession = () => showProgress(tally.sessions, count, what);
    const options = { plane, run, random, killPercent: Number(flags.kills), onSession };
    await Promise.all(
      names.map((name) => runSessions(name, Math.ceil(count / names.length), tally, options)),
    );
    return tally;
  };
  await sessions(warmUp, "warm-up sessions");
  const before = await settledMemory();
  const startedAt = performance.now();
  const tally = await sessions(connects, "sessions");
  const seconds = (performance.now() - startedAt) / 1000;
  const after = await settledMemory();
  const recovery = await killAllAndWait(plane, run, 30_000);
  return { tally, seconds, before, after, recovery };
}

/** What the plane started for itself may need a moment to notice that it is over. */
async function leftAfter(limitMs: number): Promise<MarkedProcess[]> {
  const until = Date.now() + limitMs;
  while (markedProcesses(run).length > 0 && Date.now() < until) await sleep(20);
  return markedProcesses(run);
}

const run = `toolplane-chaos-${process.pid}-${Date.now()}`;
// Whatever the plane starts for itself inherits the mark and is counted too.
process.env.TOOLPLANE_BENCH_MARK = run;
const dataDirectory = mkdtempSync(join(tmpdir(), "toolplane-bench-"));
const plane = await createPlane({ config: { mcpServers: tenServers(run) }, dataDirectory });
const { tally, seconds, before, after, recovery } = await chaos(plane, run);
await plane.stop();
const orphans = await leftAfter(1_000);
for (const { pid } of orphans) kill(pid);
rmSync(dataDirectory, { recursive: true });

const killed: PlaneKill[] = [];
for (let at = 0; at < planeKills; at++) {
  showProgress(at, planeKills, "planes killed");
  killed.push(await killPlane(`${run}-plane-${at}`, planeGoneLimitMs));
}
showProgress(planeKills, planeKills, "planes killed");

const bars: Bar[] = [
  { name: "processes left after the plane stopped", value: orphans.length, limit: 0, unit: "" },
  { name: "processes left after a disconnect", value: tally.left.length, limit: 0, unit: "" },
  { name: "failures that no kill explains", value: tally.unexplained.length, limit: 0, unit: "" },
  { name: "growth of resident memory", value: after.rss - before.rss, limit: 20, unit: "MB" },
  {
    name: "all connected again after the last kill",
    value: recovery.ms / 1000,
    limit: 5,
    unit: "s",
  },
  {
    name: `nothing left of a killed plane, slowest of ${planeKills}`,
    value: Math.max(0, ...killed.map(({ ms }) => ms / 1000)),
    limit: planeGoneLimitMs / 1000,
    unit: "s",
  },
];
const facts = {
  sessions: tally.sessions,
  seconds: Math.round(seconds),
  perSecond: Math.round(tally.sessions / seconds),
  kills: tally.kills,
  callsAnswered: tally.answered,
  callsLost: tally.lost,
  connectsTriedAgain: tally.refused,
  rssMegabytes: [before.rss, after.rss].map(Math.round).join(" → "),
  heapMegabytes: [before.heap, after.heap].map(Math.round).join(" → "),
};
const troubles = [
  ...new Set([
    ...orphans.map(({ command }) => `left after the stop: ${command}`),
    ...tally.left.map((command) => `left after a disconnect: ${command}`),
    ...tally.unexplained,
    ...recovery.away.map((name) => `not connected again: ${name}`),
    ...killed.flatMap(({ left }) =>
      left.map(({ command }) => `left of a killed plane: ${command}`),
    ),
  ]),
];

if (flags.json) {
  console.log(JSON.stringify({ ...facts, bars, troubles }, null, 2));
} else {
  const rows = Object.entries(facts).map(([name, value]) => [name, String(value)]);
  console.log(`${renderTable(["fact", "value"], rows)}\n\n${renderBars(bars)}`);
  for (const trouble of troubles.slice(0, 20)) console.log(`- ${trouble}`);
}
if (bars.some(isMissed)) process.exitCode = 1;
