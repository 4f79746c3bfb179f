import { setTimeout as pause } from "node:timers/promises";
import { type Bar, showProgress } from "../report.ts";
import { compare } from "./compare.ts";
import { compareJobs } from "./compare-jobs.ts";
import { runClients } from "./load.ts";
import type { Replica } from "./replica.ts";
import { type Failure, nothingTold } from "./told.ts";
import { startWorld, type World } from "./world.ts";

export type KillOptions = {
  seconds: number;
  clients: number;
  killEveryMs: number;
  /** How long the database is unreachable, in the middle; 0 is not at all. */
  outageMs: number;
};

/** Planes are started before the load begins. */
const startMs = 30_000;
/** The lease of a run whose plane was killed, and time to do it. */
const waitMs = 90_000;

/** Kills one replica after the other, and starts it again. */
async function killInTurn(world: World, { seconds, killEveryMs }: KillOptions, stop: AbortSignal) {
  const starts: { ms: number; processorMs: number }[] = [];
  const wait = () => pause(killEveryMs, undefined, { signal: stop }).catch(() => undefined);
  for (await wait(); !stop.aborted; await wait()) {
    const replica = world.replicas[starts.length % world.replicas.length] as Replica;
    await replica.kill();
    const begun = performance.now();
    await replica.start();
    starts.push({ ms: Math.round(performance.now() - begun), processorMs: replica.usedMs() });
    showProgress(starts.length, Math.floor((seconds * 1_000) / killEveryMs), "kills");
  }
  return starts;
}

/** When the database was unreachable, and when all planes said that it is back. */
async function takeDatabaseAway(
  world: World,
  { seconds, outageMs }: KillOptions,
  stop: AbortSignal,
) {
  if (outageMs === 0) return null;
  await pause(seconds * 300, undefined, { signal: stop });
  const from = Date.now();
  await world.postgres.stop();
  await pause(outageMs);
  await world.postgres.start();
  const back = Date.now();
  while (world.balancer.ready() < world.replicas.length) await pause(50);
  return { from, to: Date.now(), recoveredMs: Date.now() - back };
}

/** A time that passes before a plane has seen the job for the first time is not made up for. */
async function schedulesKnown({ postgres, schema, ticks }: World): Promise<void> {
  const count = async () => {
    const [row] = await postgres.run(`SELECT count(*) AS count FROM ${schema}.job_schedules`);
    return Number(row?.count);
  };
  while ((await count()) < ticks.length) await pause(50);
}

/** Three planes under load, one of them killed from time to time; what was lost. */
export async function underKills(options: KillOptions) {
  const { seconds, clients } = options;
  await using world = await startWorld({ count: 3, ticksForMs: startMs + seconds * 1_000 });
  const { ledger, schema, balancer, door, postgres } = world;
  await schedulesKnown(world);
  const told = nothingTold();
  const stop = AbortSignal.timeout(seconds * 1_000);
  const [starts, outage] = await Promise.all([
    killInTurn(world, options, stop),
    takeDatabaseAway(world, options, stop),
    runClients(door, told, { clients, stop }),
  ]);
  const endedAt = Date.now();
  const ticks = world.ticks.filter(({ at }) => at > told.beganAt && at < endedAt);
  const jobs = await compareJobs({ door, told, ledger, ticks, waitMs });
  // A killed plane stores its pending records at its next start.
  const lost = await compare(told, { run: postgres.run, schema, ledger });
  const isOfOutage = ({ at, tookMs, status, reason }: Failure) => {
    const asked = told.beganAt + at;
    const isThen = outage !== null && asked < outage.to && asked + tookMs > outage.from;
    return isThen && status === 503 && /STORE_FAILED|^none/.test(reason);
  };
  const unexplained = told.unexplained.filter((failure) => !isOfOutage(failure));
  return {
    told,
    starts,
    outage,
    jobs,
    lost,
    unexplained,
    refusedInOutage: told.unexplained.length - unexplained.length,
    cutOff: balancer.cutOff(),
    chain: await world.verify(),
    said: world.replicas.map(({ name, complaints }) => ({ name, said: complaints() })),
  };
}

export type Killed = Awaited<ReturnType<typeof underKills>>;

export function factsOf({
  told,
  starts,
  outage,
  jobs,
  refusedInOutage,
}: Killed): Record<string, unknown> {
  const ends = Object.entries(jobs.states).map(([state, count]) => `${count} ${state}`);
  return {
    kills: starts.length,
    "ms to start again": starts.map(({ ms }) => ms).join(", "),
    "ms of processor to start again": starts.map(({ processorMs }) => processorMs).join(", "),
    "calls over HTTP that were answered": told.calls.size,
    "calls in sessions that were answered": told.mcpCalls,
    sessions: told.sessions,
    approvals: told.approvals.size,
    "changes in plans": told.changes.size,
    "runs of jobs that clients began": told.runs.size,
    "runs that the clock began": jobs.ticks,
    "runs that another plane went on with": jobs.takenOver,
    "how runs ended": ends.join(", "),
    "answers lost in flight on a killed replica": told.killed.length,
    ...(outage && {
      "requests refused while the database was unreachable": refusedInOutage,
      "ms until all planes were ready again": outage.recoveredMs,
    }),
  };
}

export function barsOf({ lost, jobs, unexplained, cutOff, chain }: Killed): Bar[] {
  const bar = (name: string, value: number): Bar => ({ name, value, limit: 0, unit: "" });
  return [
    bar("answered calls that are not recorded", lost.callsLost + lost.mcpCallsLost),
    bar("approvals lost", lost.approvalsLost + lost.answersLost),
    bar("approved calls that ran twice, or not at all", lost.approvedWrongly),
    bar("changes of plans lost", lost.changesLost),
    bar("acknowledged runs lost or without an end", jobs.lost.length),
    bar("runs that did their work twice", jobs.wrong.length),
    bar("scheduled times without exactly one run", jobs.ticksWrong.length),
    bar("failures that no kill explains", unexplained.length + cutOff.length),
    bar("breaks in the chain of calls", chain === null ? 0 : 1),
  ];
}
