import { type Arrivals, begin } from "./arrivals.ts";
import {
  type Clock,
  type CountedCores,
  countOn,
  createClock,
  createOwnCores,
  createPlace,
  createRandom,
  createSharedCores,
  type Place,
  type PlaceFacts,
  type Random,
  type UsedCores,
  workIn,
} from "./engine.ts";
import { createJournal } from "./journal.ts";

/** What things cost; milliseconds are those of one core. */
export type Costs = {
  plane: {
    /** A call, on the one thread that runs calls: before the tool, and after it. */
    beforeMs: number;
    afterMs: number;
    /** Questions to the database whose answers a call waits for, before its tool. */
    asks: number;
    /** Each time that the thread was asleep. A busy plane does more in one go, so a call costs it less. */
    wakeMs: number;
    /** A call, on other threads of the process. */
    asideMs: number;
    sessionMs: number;
    batchMs: number;
    /** What it does without any call, each second. */
    idleMs: number;
  };
  database: {
    askMs: number;
    recordMs: number;
    batchMs: number;
    /** What a plane whose events are followed asks each second. */
    lookMs: number;
    sessionMs: number;
    idleMs: number;
  };
  /** They matter only where they run on the same machine. */
  tool: { callMs: number; wakeMs: number };
  client: { callMs: number; wakeMs: number };
  /** On the wire: a call to and from its client, a record and a batch to and from the database. */
  bytes: { call: number; record: number; batch: number };
};

/** How the store writes; so a change of the store changes parameters, not the model. */
export type Journalling = {
  /** The time between the beginnings of two batches, at least. */
  delayMs: number;
  /** So many records do not wait for it. */
  most: number;
  /** Batches of all planes exclude each other, or only those of one plane. */
  lock: "all planes" | "one plane";
  /** Questions and answers of a batch, and how long each is on its way. */
  roundTrips: number;
  roundTripMs: number;
  /** A commit waits for a disk or a replica: it takes time, and no core. */
  commitMs: number;
};

export type ToolTime =
  | { kind: "fixed"; ms: number }
  | { kind: "exponential"; meanMs: number }
  | { kind: "log-normal"; medianMs: number; p99Ms: number };

export type Scenario = {
  costs: Costs;
  journal: Journalling;
  planes: number;
  databaseCores: number;
  /** Clients, planes, database and tools on the cores of one machine. Without it each has its own. */
  shared?: { cores: number; background: number; sliceMs: number };
  /** Of the link to the clients, and of the one to the database. */
  bytesPerSecond: number;
  tool: ToolTime;
  arrivals: Arrivals;
  /** Costs are the same each time, or as random as they can be. */
  spread?: "none" | "exponential";
  seconds: number;
  /** Not counted. */
  warmSeconds: number;
  seed: number;
};

export type Percentiles = { mean: number; p50: number; p95: number; p99: number };

export type Resource = { name: string; busy: number; meanWaitMs: number };

export type Simulated = {
  perSecond: number;
  sessionsPerSecond: number;
  latencyMs: Percentiles;
  /** Without the time of the tool. */
  addedMs: Percentiles;
  resources: Resource[];
  /** The busiest resource, and whether it is at its end. */
  first: { name: string; busy: number; isFull: boolean };
  /** Cores that each part uses. */
  cores: { planes: number; threads: number; database: number; tools: number; clients: number };
  batchesPerSecond: number;
  recordsPerBatch: number;
  /** Records that are not in the database at the end, and how many more they become each second. */
  waitingRecords: number;
  growingRecords: number;
  /** Share of the time in which a plane's thread that is ready runs: 1 where it never waits for a core. */
  runningShare: number;
};

const fullAt = 0.97;
const tickMs = 100;

type Plane = {
  thread: Place;
  onThread(ms: number, then: () => void): void;
  tool: Place;
  record(): void;
  waiting(): number;
};

/** The same scenario with the same seed gives the same result. */
export function simulate(scenario: Scenario): Simulated {
  const { costs, arrivals, spread = "none", shared } = scenario;
  const clock = createClock();
  const random = createRandom(scenario.seed);
  const machine = shared && createSharedCores(clock, { count: shared.cores, ...shared });
  const coresOf = () => countOn(machine ?? createOwnCores(clock));
  const parts: Parts = {
    planes: coresOf(),
    aside: coresOf(),
    database: coresOf(),
    tools: coresOf(),
    clients: coresOf(),
  };
  const varied = (ms: number) => (spread === "none" || ms === 0 ? ms : random.exponential(ms));
  const database = createPlace(clock, scenario.databaseCores);
  const toClients = createLink(clock, scenario.bytesPerSecond);
  const toDatabase = createLink(clock, scenario.bytesPerSecond);
  const client = createPlace(clock, 1);
  const lock = createPlace(clock, 1);
  const batches = { count: 0, records: 0 };

  const planes = Array.from({ length: scenario.planes }, (): Plane => {
    const thread = createPlace(clock, 1);
    const own = scenario.journal.lock === "one plane" ? createPlace(clock, 1) : lock;
    const onThread = (ms: number, then: () => void) =>
      workIn(thread, parts.planes, varied(ms), then, costs.plane.wakeMs);
    const journal = createJournal(clock, scenario.journal, (records, stored) => {
      batches.count += 1;
      batches.records += records;
      const { roundTrips, roundTripMs, commitMs } = scenario.journal;
      const databaseMs = costs.database.batchMs + records * costs.database.recordMs;
      const bytes = costs.bytes.batch + records * costs.bytes.record;
      own.enter((leave) => {
        const go = (left: number): void => {
          if (left === 0)
            return clock.after(commitMs, () => {
              leave();
              stored();
            });
          onThread(costs.plane.batchMs / roundTrips, () =>
            toDatabase.send(bytes / roundTrips, () =>
              workIn(database, parts.database, varied(databaseMs / roundTrips), () =>
                clock.after(roundTripMs, () => go(left - 1)),
              ),
            ),
          );
        };
        go(roundTrips);
      });
    });
    everyTick(clock, costs.plane.idleMs, (ms) => onThread(ms, nothing));
    everyTick(clock, costs.database.idleMs + costs.database.lookMs, (ms) =>
      workIn(database, parts.database, ms, nothing),
    );
    return { thread, onThread, tool: createPlace(clock, 1), ...journal };
  });

  let turn = 0;
  const nextPlane = () => planes[turn++ % planes.length] as Plane;
  const latencies: number[] = [];
  const added: number[] = [];
  let sessions = 0;
  let isCounting = false;

  function call(done: () => void): void {
    const begun = clock.now();
    const plane = nextPlane();
    const inTool = toolMs(scenario.tool, random);
    const half = costs.client.callMs / 2;
    const onClient = (then: () => void) =>
      workIn(client, parts.clients, half, then, costs.client.wakeMs);
    const onTool = (then: () => void) =>
      workIn(plane.tool, parts.tools, costs.tool.callMs, then, costs.tool.wakeMs);
    onClient(() =>
      toClients.send(costs.bytes.call, () =>
        decide(plane, costs.plane.asks, () =>
          onTool(() =>
            clock.after(inTool, () =>
              plane.onThread(costs.plane.afterMs, () => {
                plane.record();
                if (costs.plane.asideMs > 0) parts.aside.work(varied(costs.plane.asideMs), nothing);
                onClient(() => {
                  if (isCounting) {
                    latencies.push(clock.now() - begun);
                    added.push(clock.now() - begun - inTool);
                  }
                  done();
                });
              }),
            ),
          ),
        ),
      ),
    );
  }

  /** What a call does before its tool: some work, a question, some more work. */
  function decide(plane: Plane, asks: number, done: () => void): void {
    plane.onThread(costs.plane.beforeMs / (costs.plane.asks + 1), () => {
      if (asks === 0) return done();
      workIn(database, parts.database, varied(costs.database.askMs), () =>
        clock.after(scenario.journal.roundTripMs, () => decide(plane, asks - 1, done)),
      );
    });
  }

  function openSession(done: () => void): void {
    const plane = nextPlane();
    plane.onThread(costs.plane.sessionMs, () =>
      workIn(database, parts.database, varied(costs.database.sessionMs), () => {
        if (isCounting) sessions += 1;
        done();
      }),
    );
  }

  begin({ arrivals, clock, random, call, openSession });
  clock.runUntil(scenario.warmSeconds * 1_000);
  isCounting = true;
  const places = [client, database, lock, ...planes.flatMap(({ thread, tool }) => [thread, tool])];
  for (const place of [...places, toClients.place, toDatabase.place]) place.restart();
  const before = usedBy(parts);
  const batchesBefore = { ...batches };
  // Batches come in waves, so the first half is compared with the second.
  const waiting = () => planes.reduce((sum, plane) => sum + plane.waiting(), 0);
  const halves = [1, 2].map((half) =>
    meanWhile(clock, half * scenario.seconds * 500 + scenario.warmSeconds * 1_000, waiting),
  );

  const after = usedBy(parts);
  const workMs = (part: Part) => after[part].workMs - before[part].workMs;
  const coresUsed = (part: Part) => workMs(part) / (scenario.seconds * 1_000);
  const threads = planes.map(({ thread }) => thread.facts());
  const resources: Resource[] = [
    // By what they do: on shared cores a thread that is ready may not run.
    {
      name: "planes",
      busy: coresUsed("planes") / scenario.planes,
      meanWaitMs: meanWaitOf(threads),
    },
    { name: "database", ...database.facts(), busy: coresUsed("database") / scenario.databaseCores },
    { name: "link to clients", ...toClients.place.facts() },
    { name: "link to database", ...toDatabase.place.facts() },
  ].map(({ name, busy, meanWaitMs }) => ({ name, busy, meanWaitMs }));
  const alone = (name: string, place: Place) => {
    const { busy, meanWaitMs } = place.facts();
    resources.push({ name, busy, meanWaitMs });
  };
  if (scenario.journal.lock === "all planes") alone("lock of the store", lock);
  if (shared) {
    const all = (Object.keys(parts) as Part[]).reduce((sum, part) => sum + workMs(part), 0);
    const busy = all / (scenario.seconds * 1_000 * shared.cores);
    resources.push({ name: "cores of the machine", busy, meanWaitMs: 0 });
  }
  const [busiest] = [...resources].sort((a, b) => b.busy - a.busy) as [Resource];
  const readyMs = after.planes.readyMs - before.planes.readyMs;
  return {
    perSecond: latencies.length / scenario.seconds,
    sessionsPerSecond: sessions / scenario.seconds,
    latencyMs: percentiles(latencies),
    addedMs: percentiles(added),
    resources,
    first: { name: busiest.name, busy: busiest.busy, isFull: busiest.busy >= fullAt },
    cores: {
      planes: coresUsed("planes") + coresUsed("aside"),
      threads: coresUsed("planes"),
      database: coresUsed("database"),
      tools: coresUsed("tools"),
      clients: coresUsed("clients"),
    },
    batchesPerSecond: (batches.count - batchesBefore.count) / scenario.seconds,
    recordsPerBatch:
      (batches.records - batchesBefore.records) / Math.max(1, batches.count - batchesBefore.count),
    waitingRecords: waiting(),
    growingRecords: (((halves[1] ?? 0) - (halves[0] ?? 0)) * 2) / scenario.seconds,
    runningShare: readyMs === 0 ? 1 : workMs("planes") / readyMs,
  };
}

const nothing = () => undefined;

type Part = "planes" | "aside" | "database" | "tools" | "clients";
type Parts = Record<Part, CountedCores>;

const usedBy = ({ planes, aside, database, tools, clients }: Parts): Record<Part, UsedCores> => ({
  planes: planes.used(),
  aside: aside.used(),
  database: database.used(),
  tools: tools.used(),
  clients: clients.used(),
});

/** One message after the other. */
function createLink(clock: Clock, bytesPerSecond: number) {
  const place = createPlace(clock, 1);
  return {
    place,
    send(bytes: number, done: () => void): void {
      if (bytes === 0) return done();
      place.enter((leave) =>
        clock.after((bytes * 1_000) / bytesPerSecond, () => {
          leave();
          done();
        }),
      );
    },
  };
}

/** The mean of what is asked now and then until this time. */
function meanWhile(clock: Clock, until: number, ask: () => number): number {
  const asked: number[] = [];
  while (clock.now() < until) {
    clock.runUntil(Math.min(until, clock.now() + tickMs));
    asked.push(ask());
  }
  return asked.reduce((sum, value) => sum + value, 0) / asked.length;
}

function everyTick(clock: Clock, msPerSecond: number, work: (ms: number) => void): void {
  if (msPerSecond <= 0) return;
  const tick = () => {
    work((msPerSecond * tickMs) / 1_000);
    clock.after(tickMs, tick);
  };
  clock.after(tickMs, tick);
}

function toolMs(tool: ToolTime, random: Random): number {
  if (tool.kind === "fixed") return tool.ms;
  return tool.kind === "exponential"
    ? random.exponential(tool.meanMs)
    : random.logNormal(tool.medianMs, tool.p99Ms);
}

function meanWaitOf(facts: readonly PlaceFacts[]): number {
  const entered = facts.reduce((sum, one) => sum + one.entered, 0);
  return facts.reduce((sum, one) => sum + one.meanWaitMs * one.entered, 0) / Math.max(1, entered);
}

function percentiles(latencies: readonly number[]): Percentiles {
  const sorted = Float64Array.from(latencies).sort();
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  const mean = sorted.reduce((sum, ms) => sum + ms, 0) / sorted.length;
  return { mean, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
