import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createPlane } from "../../src/index.ts";
import { type Bar, isMissed, median, renderBars, renderTable, showProgress } from "../report.ts";

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    servers: { type: "string", default: "30" },
    json: { type: "boolean", default: false },
  },
});
const rounds = Number(flags.rounds);
const many = Number(flags.servers);

const script = join(import.meta.dirname, "..", "light-server.sh");
const command = "sh";
const args = [script, "start", "plain", "0.3"];
const hanging = { command: "sleep", args: ["600"], connectTimeoutMs: 60_000 };

const servers = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}`, { command, args }]));

/** From the start of the plane until a call of every server has been answered. */
async function timeUntilUsable(
  count: number,
  others: Record<string, object> = {},
): Promise<number> {
  const plane = await createPlane({ config: { mcpServers: { ...others, ...servers(count) } } });
  const startedAt = performance.now();
  plane.start();
  const calls = Object.keys(servers(count)).map(async (server) => {
    const { ok, error } = await plane.call({ server, tool: "echo" }, { message: server });
    if (!ok) throw new Error(`${server} could not be used: ${error?.message}`);
  });
  await Promise.all(calls);
  const ms = performance.now() - startedAt;
  await plane.stop();
  return ms;
}

/** What the machine takes to start the same commands and let them end, without a word. */
async function timeOfSpawns(count: number): Promise<number> {
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: count }, async () => {
      const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"], detached: true });
      child.stdin.end();
      child.stdout.resume();
      child.stderr.resume();
      await once(child, "close");
    }),
  );
  return performance.now() - startedAt;
}

const measures = {
  "one server": () => timeUntilUsable(1),
  [`${many} bare spawns`]: () => timeOfSpawns(many),
  [`${many} servers`]: () => timeUntilUsable(many),
  [`${many} servers and one that hangs`]: () => timeUntilUsable(many, { hanging }),
};
const times = new Map<string, number[]>(Object.keys(measures).map((name) => [name, []]));

// One round loads what is loaded once.
for (let round = -1; round < rounds; round++) {
  for (const [name, measure] of Object.entries(measures)) {
    const ms = await measure();
    if (round >= 0) times.get(name)?.push(ms);
  }
  showProgress(round + 1, rounds, "rounds");
}

const results = [...times].map(([name, values]) => ({ name, ms: median(values) }));
const [one = 0, spawns = 0, together = 0, withHanging = 0] = results.map(({ ms }) => ms);
const allowed = 1.5 * one + spawns;
const bars: Bar[] = [
  { name: `${many} servers usable`, value: together, limit: allowed, unit: "ms" },
  {
    name: `${many} servers usable beside one that hangs`,
    value: withHanging,
    limit: allowed,
    unit: "ms",
  },
];

if (flags.json) {
  console.log(JSON.stringify({ rounds, results, bars }, null, 2));
} else {
  const rows = results.map(({ name, ms }) => [name, ms.toFixed(0), `${(ms / one).toFixed(2)} ×`]);
  console.log(
    `${renderTable(["start", "median ms", "× one server"], rows)}\n\n${renderBars(bars)}`,
  );
}
if (bars.some(isMissed)) process.exitCode = 1;
