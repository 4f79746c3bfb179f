import { setTimeout as pause } from "node:timers/promises";
import { median } from "../report.ts";
import { askThrough } from "./ask.ts";
import { callOnce, onlyWaiting, runClients } from "./load.ts";
import { familyMs, postgresPid } from "./processor.ts";
import { nothingTold } from "./told.ts";
import { startWorld, type World } from "./world.ts";

export type Scaled = {
  replicas: number;
  /** Milliseconds of the planes' processor for a call, where each plane gets as many calls a second. */
  planeMs: number;
  /** The same of the database. */
  databaseMs: number;
  /** Calls a second of a tool that takes its time, of which each plane runs a few at once. */
  perSecond: number;
};

export type ScalingOptions = { perSecond: number; seconds: number; rounds: number };

const warmSeconds = 3;
const waitingClients = 24;
/** Each plane makes so many calls at once. */
const maxConcurrency = 4;

/** One plane and two, in turn, so that what else the machine does falls upon both. */
export async function measureScaling(options: ScalingOptions): Promise<Scaled[]> {
  const found: Scaled[] = [];
  for (let round = 0; round < options.rounds; round += 1)
    for (const replicas of [1, 2]) found.push(await measure(replicas, options));
  return [1, 2].map((replicas) => {
    const of = found.filter((one) => one.replicas === replicas);
    return {
      replicas,
      planeMs: median(of.map(({ planeMs }) => planeMs)),
      databaseMs: median(of.map(({ databaseMs }) => databaseMs)),
      perSecond: median(of.map(({ perSecond }) => perSecond)),
    };
  });
}

async function measure(replicas: number, options: ScalingOptions): Promise<Scaled> {
  const { seconds } = options;
  await using world = await startWorld({ count: replicas, server: { maxConcurrency } });
  const [place] = await world.postgres.run("SHOW data_directory");
  const database = postgresPid(String(place?.data_directory));
  const used = () => world.replicas.reduce((sum, replica) => sum + replica.usedMs(), 0);
  const perSecond = options.perSecond * replicas;
  await callSteadily(world, perSecond, warmSeconds);
  const planesBefore = used();
  const databaseBefore = familyMs(database);
  const calls = await callSteadily(world, perSecond, seconds);
  const planesMs = used() - planesBefore;
  const databaseMs = familyMs(database) - databaseBefore;
  return {
    replicas,
    planeMs: planesMs / calls,
    databaseMs: databaseMs / calls,
    perSecond: await callAndWait(world, seconds),
  };
}

/** So many calls a second, whether or not those before are answered; how many were. */
async function callSteadily({ door }: World, perSecond: number, seconds: number): Promise<number> {
  const told = nothingTold();
  const ask = askThrough(door, told);
  const calls: Promise<void>[] = [];
  const begun = performance.now();
  for (let at = 0; at < perSecond * seconds; at += 1) {
    const earlyMs = begun + (at * 1_000) / perSecond - performance.now();
    if (earlyMs > 1) await pause(earlyMs);
    calls.push(callOnce(ask, told));
  }
  await Promise.all(calls);
  return told.calls.size;
}

async function callAndWait({ door }: World, seconds: number): Promise<number> {
  const told = nothingTold();
  const begun = performance.now();
  const stop = AbortSignal.timeout(seconds * 1_000);
  await runClients(door, told, { clients: waitingClients, kinds: onlyWaiting, stop });
  return (told.calls.size * 1_000) / (performance.now() - begun);
}
