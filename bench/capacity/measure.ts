import { setTimeout as pause } from "node:timers/promises";
import { type Equation, fitCosts } from "./fit.ts";
import { type Answers, createLoad, type Load } from "./load.ts";
import { looksPerSecond, measureLook } from "./look.ts";
import { bytesBetween, type Day, measureDay, type RecordBytes, sizesOf } from "./records.ts";
import type { Costs } from "./simulate.ts";
import { startWorld, type ThreadTime, type Used, usedBetween, type World } from "./world.ts";

/** What clients do: calls at random times, or agents that call without a pause a tool that takes its time. */
export type Work =
  | { kind: "steady" | "ping"; perSecond: number }
  | { kind: "in turn"; agents: number; toolMs: number | null };

/** One load on so many planes, and what all parts did meanwhile. */
export type Run = {
  planes: number;
  work: Work;
  seconds: number;
  calls: number;
  failed: number;
  batches: number;
  used: Used;
};

export type Measured = {
  costs: Costs;
  /** Questions that the planes ask the database for a batch, and for a call. */
  questions: { batch: number; call: number };
  record: RecordBytes;
  day: Day;
  runs: Run[];
};

export type MeasureOptions = {
  seconds: number;
  /** Calls to each plane before anything is counted: the engine makes a program quicker while it runs. */
  warmCalls: number;
  /** Calls a second, from few to many. */
  rates: readonly number[];
  /** Records of the day that is removed. */
  dayRows: number;
};

/** Sessions that calls take turns with. */
const sessions = 40;
const countedSessions = 200;
const idleSeconds = 10;
/** Until the last batch is written. */
const settleMs = 600;
/** As many agents as keep a plane busy all the time, and a few that let it sleep now and then. */
const busyAgents = 16;
const fewAgents = 5;

/** The costs of calls, records and sessions, from one plane at several rates. */
export async function measureCosts(options: MeasureOptions): Promise<Measured> {
  const wire = await measureWire(options);
  await using world = await startWorld({ planes: 1 });
  const load = createLoad(world);
  await warmUp(world, load, options.warmCalls);
  const sizesBefore = await sizesOf(world);
  await pause(settleMs);
  const beforeIdle = world.used();
  await pause(idleSeconds * 1_000);
  const idle = usedBetween(beforeIdle, world.used());
  const steady = options.rates.map((perSecond): Work => ({ kind: "steady", perSecond }));
  const runs: Run[] = [];
  const inTurn = [fewAgents, busyAgents].map(
    (agents): Work => ({ kind: "in turn", agents, toolMs: 0 }),
  );
  for (const work of [...steady, ...inTurn])
    runs.push(await observe(world, load, work, options.seconds));
  // A ping asks the database who the caller is, as a call does, and leaves no record.
  const pings: Run[] = [];
  const pinging: Work[] = [
    { kind: "ping", perSecond: options.rates.at(-1) ?? 0 },
    { kind: "in turn", agents: busyAgents, toolMs: null },
  ];
  for (const work of pinging) pings.push(await observe(world, load, work, options.seconds));
  const beforeSessions = world.used();
  await load.open(countedSessions);
  const opened = usedBetween(beforeSessions, world.used());
  const record = bytesBetween(sizesBefore, await sizesOf(world));
  const day = await measureDay(world, options.dayRows);
  const lookMs = await measureLook(world);
  load.close();
  const apart = { lookMs, pings, opened, idle, wire, insertMs: day.insertProcessorMs / day.rows };
  return { costs: costsFrom(runs, apart), questions: wire.questions, record, day, runs };
}

/** Several loads on so many planes. */
export async function measureRuns(
  planes: number,
  works: readonly Work[],
  options: MeasureOptions,
): Promise<Run[]> {
  await using world = await startWorld({ planes });
  const load = createLoad(world);
  await warmUp(world, load, options.warmCalls * planes);
  const runs: Run[] = [];
  for (const work of works) runs.push(await observe(world, load, work, options.seconds));
  load.close();
  return runs;
}

async function warmUp(world: World, load: Load, calls: number): Promise<void> {
  await load.open(sessions * world.planes.length);
  for (let made = 0; made < calls; ) made += (await load.inTurn(busyAgents, 1, 0)).calls;
}

async function observe(world: World, load: Load, work: Work, seconds: number): Promise<Run> {
  await pause(settleMs);
  const writtenBefore = await world.written();
  const before = world.used();
  const answers = await doWork(load, work, seconds);
  await pause(settleMs);
  const used = usedBetween(before, world.used());
  const written = await world.written();
  return {
    planes: world.planes.length,
    work,
    seconds: answers.seconds,
    calls: answers.calls,
    failed: answers.failed,
    batches: written.batches - writtenBefore.batches,
    used,
  };
}

function doWork(load: Load, work: Work, seconds: number): Promise<Answers> {
  if (work.kind === "in turn") return load.inTurn(work.agents, seconds, work.toolMs);
  return work.kind === "steady"
    ? load.steadily(work.perSecond, seconds)
    : load.ping(work.perSecond, seconds);
}

type Wire = {
  call: number;
  record: number;
  batch: number;
  questions: { batch: number; call: number };
};

type Apart = {
  lookMs: number;
  pings: readonly Run[];
  opened: Used;
  idle: Used;
  wire: Wire;
  /** What Postgres needs at least to insert a record, without anything around it. */
  insertMs: number;
};

function costsFrom(
  runs: readonly Run[],
  { lookMs, pings, opened, idle, wire, insertMs }: Apart,
): Costs {
  const asks = Math.round(wire.questions.call);
  const amounts = (of: (run: Run) => readonly number[], took: (run: Run) => number): Equation[] =>
    runs.map((run) => ({ amounts: of(run), took: took(run) }));
  // What wakes a sleeping thread: a request, the answer of its tool, and each answer of the database.
  const wakes = (run: Run, count: number, time: ThreadTime) => count * asleep(run, time);
  // The idle time is one run among the others: after a load Postgres has more to do for a while, and that is not what idling costs.
  const [callMs = 0, wakeMs = 0, batchMs = 0, planeIdleMs = 0] = fitCosts([
    ...amounts(
      (run) => [
        run.calls,
        wakes(run, (2 + asks) * run.calls + wire.questions.batch * run.batches, run.used.planes),
        run.batches,
        run.seconds,
      ],
      (run) => run.used.planes.ranMs,
    ),
    { amounts: [0, 0, 0, idleSeconds], took: idle.planes.ranMs },
  ]);
  const [askMs = 0, recordMs = 0, databaseBatchMs = 0, databaseIdleMs = 0] = fitCosts([
    ...amounts(
      (run) => [asks * run.calls, run.calls, run.batches, run.seconds],
      (run) => run.used.databaseMs,
    ),
    ...pings.map((run) => ({
      amounts: [asks * run.calls, 0, 0, run.seconds],
      took: run.used.databaseMs,
    })),
    { amounts: [0, 0, 0, idleSeconds], took: idle.databaseMs },
  ]);
  const [toolMs = 0, toolWakeMs = 0] = fitCosts(
    amounts(
      (run) => [run.calls, wakes(run, run.calls, run.used.tools)],
      (run) => run.used.toolsMs,
    ),
  );
  const [clientMs = 0, clientWakeMs = 0] = fitCosts(
    amounts(
      (run) => [run.calls, wakes(run, 2 * run.calls, run.used.clients)],
      (run) => run.used.clientsMs,
    ),
  );
  const [asideMs = 0] = fitCosts(
    amounts(
      (run) => [run.calls],
      (run) => Math.max(0.01, run.used.planesMs - run.used.planes.ranMs),
    ),
  );
  return {
    plane: {
      beforeMs: callMs / 2,
      afterMs: callMs / 2,
      asks,
      wakeMs,
      asideMs,
      sessionMs: opened.planes.ranMs / countedSessions,
      batchMs,
      idleMs: planeIdleMs,
    },
    database: {
      askMs,
      recordMs: Math.max(insertMs, recordMs),
      batchMs: databaseBatchMs,
      lookMs: lookMs * looksPerSecond,
      sessionMs: opened.databaseMs / countedSessions,
      idleMs: databaseIdleMs,
    },
    tool: { callMs: toolMs, wakeMs: toolWakeMs },
    client: { callMs: clientMs, wakeMs: clientWakeMs },
    bytes: { call: wire.call, record: wire.record, batch: wire.batch },
  };
}

/** Share of the time in which a thread slept, so that what comes has to wake it. */
function asleep({ seconds, planes }: Run, { ranMs, waitedMs }: ThreadTime): number {
  return Math.max(0, 1 - (ranMs + waitedMs) / (seconds * 1_000 * planes));
}

/** Bytes of a call to its client and of a record to the database, and how often a batch waits for an answer. */
async function measureWire({ seconds, rates }: MeasureOptions): Promise<Wire> {
  await using world = await startWorld({ planes: 1, countsBytes: true });
  const load = createLoad(world);
  await load.open(sessions);
  await load.inTurn(1, 1, 0);
  const found: (Run & { bytes: number; questions: number; clientBytes: number })[] = [];
  for (const perSecond of [rates[0] ?? 0, rates.at(-1) ?? 0]) {
    const before = { ...world.wire(), client: load.bytes() };
    const run = await observe(world, load, { kind: "steady", perSecond }, seconds / 2);
    const { bytes, questions } = world.wire();
    found.push({
      ...run,
      bytes: bytes - before.bytes,
      questions: questions - before.questions,
      clientBytes: load.bytes() - before.client,
    });
  }
  load.close();
  const fit = (took: (run: (typeof found)[number]) => number) =>
    fitCosts(found.map((run) => ({ amounts: [run.calls, run.batches], took: took(run) })));
  const [record = 0, batch = 0] = fit(({ bytes }) => bytes);
  const [askedByCall = 0, askedByBatch = 0] = fit(({ questions }) => questions);
  const calls = found.reduce((sum, run) => sum + run.calls, 0);
  const clientBytes = found.reduce((sum, run) => sum + run.clientBytes, 0);
  return {
    call: clientBytes / calls,
    record,
    batch,
    questions: { batch: askedByBatch, call: askedByCall },
  };
}
