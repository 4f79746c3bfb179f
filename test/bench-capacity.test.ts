import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Clock,
  createClock,
  createOwnCores,
  createPlace,
  createRandom,
  createSharedCores,
  workIn,
} from "../bench/capacity/engine.ts";
import { type Costs, type Scenario, simulate } from "../bench/capacity/simulate.ts";

const free: Costs = {
  plane: {
    beforeMs: 0,
    afterMs: 0,
    asks: 0,
    wakeMs: 0,
    asideMs: 0,
    sessionMs: 0,
    batchMs: 0,
    idleMs: 0,
  },
  database: { askMs: 0, recordMs: 0, batchMs: 0, lookMs: 0, sessionMs: 0, idleMs: 0 },
  tool: { callMs: 0, wakeMs: 0 },
  client: { callMs: 0, wakeMs: 0 },
  bytes: { call: 0, record: 0, batch: 0 },
};
const plain: Scenario = {
  costs: free,
  journal: {
    delayMs: 200,
    most: 2_000,
    lock: "one plane",
    roundTrips: 1,
    roundTripMs: 0,
    commitMs: 0,
  },
  planes: 1,
  databaseCores: 4,
  bytesPerSecond: 125e6,
  tool: { kind: "fixed", ms: 0 },
  arrivals: { kind: "open", perSecond: 100 },
  seconds: 2_000,
  warmSeconds: 100,
  seed: 7,
};

function isNear(value: number, expected: number, share: number): void {
  assert.ok(
    Math.abs(value / expected - 1) <= share,
    `${value} is not within ${share * 100} % of ${expected}`,
  );
}

/** The mean wait of M/M/c, by Erlang's second formula. */
function erlangWaitMs(perSecond: number, serviceMs: number, servers: number): number {
  const load = (perSecond * serviceMs) / 1_000;
  let term = 1;
  let sum = 1;
  for (let at = 1; at < servers; at += 1) {
    term *= load / at;
    sum += term;
  }
  const last = ((term * load) / servers) * (servers / (servers - load));
  return (last / (sum + last)) * (serviceMs / (servers - load));
}

/** 100 calls a second that take 7 ms each: the thread is busy for 70 % of the time. */
const onePlane = (spread: "none" | "exponential") =>
  simulate({ ...plain, spread, costs: { ...free, plane: { ...free.plane, beforeMs: 7 } } });

test("a plane whose calls take random time waits as M/M/1 says", () => {
  const { resources, latencyMs, perSecond } = onePlane("exponential");
  const [planes] = resources;
  const waitMs = (0.7 * 7) / (1 - 0.7);
  isNear(planes?.busy ?? 0, 0.7, 0.02);
  isNear(planes?.meanWaitMs ?? 0, waitMs, 0.05);
  isNear(latencyMs.mean, 7 + waitMs, 0.04);
  // The time in M/M/1 is exponential.
  isNear(latencyMs.p99, (7 + waitMs) * Math.log(100), 0.08);
  isNear(perSecond, 100, 0.02);
});

test("a plane whose calls take the same time waits half as long, as M/D/1 says", () => {
  const { resources, latencyMs } = onePlane("none");
  const waitMs = (0.7 * 7) / (2 * (1 - 0.7));
  isNear(resources[0]?.meanWaitMs ?? 0, waitMs, 0.04);
  isNear(latencyMs.mean, 7 + waitMs, 0.03);
});

/** Work that comes at random times, and the mean time until it is done. */
function meanTimeMs(
  perSecond: number,
  serviceMs: number,
  serve: (clock: Clock) => (ms: number, done: () => void) => void,
) {
  const clock = createClock();
  const random = createRandom(11);
  const work = serve(clock);
  let sum = 0;
  let count = 0;
  const arrive = () => {
    const begun = clock.now();
    work(random.exponential(serviceMs), () => {
      sum += clock.now() - begun;
      count += 1;
    });
    clock.after(random.exponential(1_000 / perSecond), arrive);
  };
  arrive();
  clock.runUntil(400_000);
  return sum / count;
}

// Four servers, 340 a second of 10 ms each: busy for 85 % of the time.
const four = 10 + erlangWaitMs(340, 10, 4);

test("a place for four waits as Erlang's formula says", () => {
  const meanMs = meanTimeMs(340, 10, (clock) => {
    const place = createPlace(clock, 4);
    const cores = createOwnCores(clock);
    return (ms, done) => workIn(place, cores, ms, done);
  });
  isNear(meanMs, four, 0.04);
});

test("work that shares four cores takes as long on average as work that waits for one of them", () => {
  const meanMs = meanTimeMs(
    340,
    10,
    (clock) => createSharedCores(clock, { count: 4, sliceMs: 2 }).work,
  );
  isNear(meanMs, four, 0.04);
});

test("threads of other programs take their share of the cores", () => {
  const clock = createClock();
  const { work } = createSharedCores(clock, { count: 2, sliceMs: 1, background: 6 });
  const ended: number[] = [];
  // Two of eight ready threads on two cores: a quarter of the speed. Then one of seven.
  work(10, () => ended.push(clock.now()));
  work(20, () => ended.push(clock.now()));
  clock.runUntil(1_000);
  isNear(ended[0] ?? 0, 40, 0.1);
  isNear(ended[1] ?? 0, 75, 0.1);
});

const real: Costs = {
  plane: {
    beforeMs: 0.3,
    afterMs: 0.3,
    asks: 1,
    wakeMs: 0,
    asideMs: 0.05,
    sessionMs: 2,
    batchMs: 2,
    idleMs: 2,
  },
  database: { askMs: 0.1, recordMs: 0.2, batchMs: 3, lookMs: 0, sessionMs: 1, idleMs: 1 },
  tool: { callMs: 0, wakeMs: 0 },
  client: { callMs: 0, wakeMs: 0 },
  bytes: { call: 1_500, record: 2_000, batch: 1_000 },
};
const loaded: Scenario = {
  ...plain,
  costs: real,
  arrivals: { kind: "open", perSecond: 3_000 },
  tool: { kind: "log-normal", medianMs: 50, p99Ms: 500 },
  seconds: 5,
  warmSeconds: 2,
};

const bottlenecks: readonly [string, Partial<Scenario>][] = [
  ["planes", { planes: 1 }],
  [
    "database",
    {
      planes: 16,
      databaseCores: 1,
      costs: { ...real, database: { ...real.database, recordMs: 0.5 } },
    },
  ],
  [
    "lock of the store",
    { planes: 16, journal: { ...plain.journal, lock: "all planes", commitMs: 20 } },
  ],
  [
    "link to clients",
    {
      planes: 16,
      bytesPerSecond: 3_000_000,
      costs: { ...real, bytes: { ...real.bytes, record: 10 } },
    },
  ],
  ["link to database", { planes: 16, bytesPerSecond: 5_000_000 }],
  [
    "cores of the machine",
    {
      planes: 16,
      databaseCores: 16,
      arrivals: { kind: "open", perSecond: 1_500 },
      shared: { cores: 1, background: 0, sliceMs: 3 },
    },
  ],
];

for (const [name, changed] of bottlenecks)
  test(`the first bottleneck is named: ${name}`, () => {
    const { first } = simulate({ ...loaded, ...changed });
    assert.equal(first.name, name);
    assert.ok(first.isFull, `${first.busy}`);
  });

test("a thread that slept wakes up first, and a busy one does not", () => {
  const costs = { ...free, plane: { ...free.plane, beforeMs: 1, wakeMs: 4 } };
  const rare = simulate({ ...plain, costs, arrivals: { kind: "open", perSecond: 1 } });
  // A call wakes it with its request, with the answer of its tool, and for its record.
  isNear(rare.cores.threads * 1_000, 1 + 3 * 4, 0.05);
  const busy = simulate({
    ...plain,
    costs,
    arrivals: { kind: "open", perSecond: 950 },
    seconds: 100,
  });
  isNear(busy.cores.threads, 1, 0.03);
  assert.ok(busy.perSecond > 930, `${busy.perSecond}`);
});

test("nothing is full where there is enough of everything", () => {
  const { first, perSecond, waitingRecords } = simulate({ ...loaded, planes: 4 });
  assert.deepEqual([first.name, first.isFull], ["planes", false]);
  isNear(perSecond, 3_000, 0.05);
  assert.ok(waitingRecords < 1_500, `${waitingRecords}`);
});

test("where the database is full the records that wait become more, and calls do not wait for them", () => {
  const costs = { ...real, database: { ...real.database, recordMs: 2 } };
  const { growingRecords, perSecond, addedMs } = simulate({
    ...loaded,
    costs: { ...costs, plane: { ...real.plane, asks: 0 } },
    planes: 4,
    seconds: 60,
  });
  // Four cores write 2,000 records a second, and a batch counts until its last record is stored.
  assert.ok(growingRecords > 1_000 && growingRecords < 2_000, `${growingRecords}`);
  isNear(perSecond, 3_000, 0.05);
  assert.ok(addedMs.p99 < 10, `${addedMs.p99}`);
});

test("what planes cost the database by themselves grows with their number, not with its square", () => {
  const costs = { ...free, database: { ...free.database, batchMs: 2, lookMs: 4, idleMs: 1 } };
  const databaseMs = (planes: number) =>
    simulate({
      ...plain,
      costs,
      planes,
      seconds: 20,
      arrivals: { kind: "open", perSecond: 100 * planes },
    }).cores.database * 1_000;
  // Five batches a second each.
  isNear(databaseMs(6), 6 * (5 * 2 + 4 + 1), 0.05);
  isNear(databaseMs(24), 24 * (5 * 2 + 4 + 1), 0.05);
});

test("records are written in batches: five a second under load, one each where calls are rare", () => {
  isNear(simulate({ ...loaded, planes: 4 }).recordsPerBatch, 3_000 / 4 / 5, 0.06);
  const rare = simulate({ ...loaded, arrivals: { kind: "open", perSecond: 0.5 }, seconds: 1_000 });
  isNear(rare.recordsPerBatch, 1, 0.12);
});

test("agents come and go: calls, sessions and what both cost follow from their number", () => {
  const arrivals = { kind: "agents", count: 1_000, thinkMs: 950, calls: 10 } as const;
  const tool = { kind: "fixed", ms: 50 } as const;
  const { perSecond, sessionsPerSecond, cores } = simulate({
    ...loaded,
    planes: 4,
    tool,
    arrivals,
    seconds: 20,
  });
  // An agent thinks before each of its ten calls and before it leaves, and each call takes 51 ms.
  const stayMs = 11 * 950 + 10 * 51;
  isNear(perSecond, (1_000 * 10 * 1_000) / stayMs, 0.05);
  isNear(sessionsPerSecond, (1_000 * 1_000) / stayMs, 0.1);
  isNear(cores.threads, (perSecond * 0.6 + sessionsPerSecond * 2 + 4 * (5 * 2 + 2)) / 1_000, 0.05);
});

test("the same seed gives the same result, and another seed another", () => {
  const short = { ...loaded, planes: 3, spread: "exponential" } as const;
  assert.deepEqual(simulate(short), simulate(short));
  assert.notDeepEqual(simulate({ ...short, seed: 8 }).latencyMs, simulate(short).latencyMs);
});
