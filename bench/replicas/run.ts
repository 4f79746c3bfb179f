import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Bar, isMissed, renderBars, renderTable, showProgress } from "../report.ts";
import { compare } from "./compare.ts";
import { nothingTold, runClients } from "./load.ts";
import { startWorld, type WorldOptions } from "./world.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    clients: { type: "string", default: "64" },
    "kill-every": { type: "string", default: "10" },
    "throughput-seconds": { type: "string", default: "15" },
    json: { type: "boolean", default: false },
  },
});
const seconds = Number(values.seconds);
const clients = Number(values.clients);
const killEveryMs = Number(values["kill-every"]) * 1_000;

/** Kills one replica after the other, and starts it again. */
async function killInTurn(replicas: Awaited<ReturnType<typeof startWorld>>["replicas"], stop: AbortSignal) {
  let kills = 0;
  const wait = () => pause(killEveryMs, undefined, { signal: stop }).catch(() => undefined);
  for (await wait(); !stop.aborted; await wait()) {
    const replica = replicas[kills % replicas.length];
    await replica?.kill();
    kills += 1;
    showProgress(kills, Math.floor((seconds * 1_000) / killEveryMs), "kills");
    await replica?.start();
  }
  return kills;
}

async function underKills() {
  await using world = await startWorld({ count: 3 });
  const told = nothingTold();
  const stop = AbortSignal.timeout(seconds * 1_000);
  const [kills] = await Promise.all([
    killInTurn(world.replicas, stop),
    runClients(world.balancer.url, clients, stop, told),
  ]);
  // Whoever was killed stores with its next start what it could not store any more.
  await pause(1_000);
  const lost = await compare(told, world.postgres.run, world.schema);
  return { told, kills, lost, chain: await world.verify() };
}

/** Calls a second, and milliseconds of the replicas' processor for each. */
async function throughput(options: WorldOptions) {
  await using world = await startWorld(options);
  const told = nothingTold();
  const warm = AbortSignal.timeout(3_000);
  await runClients(world.balancer.url, clients, warm, nothingTold());
  const forMs = Number(values["throughput-seconds"]) * 1_000;
  const used = () => world.replicas.reduce((sum, replica) => sum + replica.usedMs(), 0);
  const [before, begun] = [used(), performance.now()];
  await runClients(world.balancer.url, clients, AbortSignal.timeout(forMs), told);
  const calls = told.calls.size + told.mcpCalls + told.approvals.size + told.changes.size;
  const perSecond = (calls * 1_000) / (performance.now() - begun);
  return { perSecond, processorMs: (used() - before) / calls };
}

const { told, kills, lost, chain } = await underKills();
const plain = [await throughput({ count: 1 }), await throughput({ count: 2 })] as const;

const facts = {
  seconds,
  kills,
  "calls over HTTP that were answered": told.calls.size,
  "calls in sessions that were answered": told.mcpCalls,
  sessions: told.sessions,
  approvals: told.approvals.size,
  "changes in plans": told.changes.size,
  "answers lost in flight on a killed replica": told.killed,
};
const bars: Bar[] = [
  {
    name: "answered calls that are not recorded",
    value: lost.callsLost + lost.mcpCallsLost,
    limit: 0,
    unit: "",
  },
  { name: "approvals lost", value: lost.approvalsLost + lost.answersLost, limit: 0, unit: "" },
  { name: "changes of plans lost", value: lost.changesLost, limit: 0, unit: "" },
  { name: "failures that no kill explains", value: told.unexplained.length, limit: 0, unit: "" },
  { name: "breaks in the chain of calls", value: chain, limit: 0, unit: "" },
];
if (values.json) process.stdout.write(`${JSON.stringify({ facts, bars, plain })}\n`);
else {
  const shown = Object.entries(facts).map(([name, value]) => [name, String(value)]);
  const rates = plain.map(({ perSecond, processorMs }, at) => [
    String(at + 1),
    perSecond.toFixed(0),
    processorMs.toFixed(2),
  ]);
  const texts = [
    renderTable(["fact", "value"], shown),
    renderBars(bars),
    renderTable(["replicas", "calls a second", "ms of processor a call"], rates),
  ];
  process.stdout.write(`${texts.join("\n\n")}\n`);
  for (const what of new Set(told.unexplained)) process.stderr.write(`unexplained: ${what}\n`);
}
process.exitCode = bars.some(isMissed) ? 1 : 0;
