import type { Arrivals } from "./arrivals.ts";
import type { Day, RecordBytes } from "./records.ts";
import {
  type Costs,
  type Journalling,
  type Scenario,
  type Simulated,
  simulate,
} from "./simulate.ts";

/** How busy planes and database are meant to be: above it waits grow quickly, and a plane that ends needs room on the others. */
export const aim = 0.6;

/** A tool as agents use them. Its time adds to the latency and to nothing else. */
const tool = { kind: "log-normal", medianMs: 200, p99Ms: 2_000 } as const;
/** 10 Gbit/s, of which a link carries nine tenths. */
const bytesPerSecond = (0.9 * 10e9) / 8;
/** Between machines of one data centre, and a commit on a disk that keeps its word. */
const roundTripMs = 0.5;
const commitMs = 2;

export type Sized = {
  name: string;
  planes: number;
  databaseCores: number;
  lock: Journalling["lock"];
  found: Simulated;
};

/** What a call costs a plane that is as busy as it is meant to be: what comes finds it asleep for the rest of the time. */
export const callMsOf = ({ plane }: Costs, busy = aim): number =>
  plane.beforeMs + plane.afterMs + (2 + plane.asks) * (1 - busy) * plane.wakeMs;

export const databaseCallMsOf = ({ plane, database }: Costs): number =>
  plane.asks * database.askMs + database.recordMs;

/** What planes and batches cost by themselves: batches come no more often than the rule says. */
const fixedMsOf = (own: { batchMs: number; idleMs: number }, { delayMs }: Journalling): number =>
  own.idleMs + (1_000 / delayMs) * own.batchMs;

export function planesFor(perSecond: number, costs: Costs, journal: Journalling): number {
  return Math.ceil((perSecond * callMsOf(costs)) / (1_000 * aim - fixedMsOf(costs.plane, journal)));
}

export function databaseCoresFor(
  perSecond: number,
  planes: number,
  costs: Costs,
  journal: Journalling,
): number {
  const eachMs = fixedMsOf(costs.database, journal) + costs.database.lookMs;
  const ms = perSecond * databaseCallMsOf(costs) + planes * eachMs;
  return Math.ceil(ms / (1_000 * aim));
}

export type Sizing = { costs: Costs; journal: Journalling };

/** So many calls are enough to see what happens. */
const simulatedCalls = 300_000;
const maxSeconds = 20;

/** As many planes and cores of the database as the formula says, on machines of their own. */
export function sized(
  name: string,
  arrivals: Arrivals,
  perSecond: number,
  { costs, journal }: Sizing,
): Sized {
  const away = { ...costs, tool: { callMs: 0, wakeMs: 0 }, client: { callMs: 0, wakeMs: 0 } };
  const planes = planesFor(perSecond, costs, journal);
  const databaseCores = databaseCoresFor(perSecond, planes, costs, journal);
  const scenario: Scenario = {
    costs: away,
    journal: { ...journal, roundTripMs, commitMs },
    planes,
    databaseCores,
    bytesPerSecond,
    tool,
    arrivals,
    seconds: Math.min(maxSeconds, simulatedCalls / perSecond),
    warmSeconds: 3,
    seed: 1,
  };
  return { name, planes, databaseCores, lock: journal.lock, found: simulate(scenario) };
}

/** Calls a second at which each resource alone is full, where nothing else is. */
export function ceilings(
  costs: Costs,
  journal: Journalling,
): { name: string; perSecond: number }[] {
  const perLock = costs.database.recordMs;
  const link = (bytes: number) => bytesPerSecond / bytes;
  return [
    { name: "a plane", perSecond: (1_000 - fixedMsOf(costs.plane, journal)) / callMsOf(costs, 1) },
    { name: "a core of the database", perSecond: 1_000 / databaseCallMsOf(costs) },
    ...(journal.lock === "all planes"
      ? [{ name: "the lock of the store", perSecond: 1_000 / perLock }]
      : []),
    { name: "a link of 10 Gbit/s to the clients", perSecond: link(costs.bytes.call) },
    { name: "a link of 10 Gbit/s to the database", perSecond: link(costs.bytes.record) },
  ];
}

export type Year = {
  perSecond: number;
  rowsADay: number;
  bytesADay: number;
  bytesAYear: number;
  dropMs: number;
  deleteMs: number;
};

const daySeconds = 86_400;

/** A year of records at this rate, all day long; times to remove a day grow with its rows. */
export function yearOf(perSecond: number, record: RecordBytes, day: Day): Year {
  const rowsADay = perSecond * daySeconds;
  const bytesADay = rowsADay * (record.row + record.indices + record.otherTables);
  return {
    perSecond,
    rowsADay,
    bytesADay,
    bytesAYear: bytesADay * 365,
    dropMs: (day.dropMs * rowsADay) / day.rows,
    deleteMs: (day.deleteMs * rowsADay) / day.rows,
  };
}
