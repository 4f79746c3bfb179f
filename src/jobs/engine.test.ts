import assert from "node:assert/strict";
import { mock, suite, type TestContext, test } from "node:test";
import { sampleJob, sampleRun } from "../../test/samples/jobs.ts";
import type { PlaneEvent } from "../model/events.ts";
import type { JobManifest, Recurrence } from "../model/job.ts";
import type { KeptJobRun } from "../model/job-run.ts";
import { principalOf } from "../model/principal.ts";
import type { Store } from "../model/store.ts";
import { openSqliteStore } from "../store/sqlite.ts";
import { createEngine } from "./engine.ts";

type Work = (job: string, signal: AbortSignal) => Promise<void>;

async function newStore(context: TestContext): Promise<Store> {
  const store = await openSqliteStore(":memory:");
  context.after(() => store.close());
  return store;
}

/** A plane's engine whose tasks do this. */
function engineOn(store: Store, jobs: JobManifest[], work: Work, most = 4) {
  const ended: KeptJobRun[] = [];
  const events: PlaneEvent["type"][] = [];
  const emit = (event: PlaneEvent) => void events.push(event.type);
  const engine = createEngine({
    ...{ store: async () => store, jobs: async () => jobs, emit, most: () => most, keepMs: () => 1e12 },
    principalFor: () => principalOf({ user: "ada", persona: "Atlas" }),
    execute: {
      ...{ emit, check: async () => undefined },
      work: (run) => async (_task, _input, _memory, signal) => {
        await work(run.job, signal);
        return null;
      },
      onEnded: async (_job, run) => void ended.push(run),
    },
  });
  return { engine, ended, events };
}

function moveClock(ms: number): Disposable {
  mock.timers.enable({ apis: ["Date"], now: Date.now() + ms });
  return { [Symbol.dispose]: () => mock.timers.reset() };
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 2_000 && !(await condition()); turn++)
    await new Promise((done) => setTimeout(done, 2));
  assert.ok(await condition(), "it did not happen");
}

const everyMinute = (missed: Recurrence["missed"] = "once") => ({
  recurrence: { cron: "* * * * *", timezone: "UTC", missed },
});

suite("the engine", () => {
  test("what is due begins in the order of its priority, so many at a time", async (context) => {
    const store = await newStore(context);
    const jobs = Array.from({ length: 60 }, (_, at) => sampleJob(`job-${at}`, { priority: (at * 7) % 20 }));
    for (const job of jobs) await store.addJobRun(sampleRun(job.name, {}, job));
    const begun: number[] = [];
    let now = 0;
    let most = 0;
    const { engine, ended } = engineOn(store, jobs, async (name) => {
      begun.push(jobs.find((job) => job.name === name)?.priority ?? -1);
      most = Math.max(most, ++now);
      await new Promise(setImmediate);
      now -= 1;
    });
    context.after(() => engine.stop());
    await engine.start();
    await until(() => ended.length === jobs.length);
    assert.ok(most <= 4, `${most} at a time`);
    // Those that run at the same time may be told in any order.
    const sorted = [...begun].sort((a, b) => b - a);
    assert.ok(
      begun.every((priority, at) => Math.abs(priority - (sorted[at] ?? 0)) <= 2),
      begun.join(),
    );
    assert.ok(ended.every(({ state, starts }) => state === "succeeded" && starts === 1));
  });

  test("runs of one job wait for each other, also in two planes on one store", async (context) => {
    const store = await newStore(context);
    const job = sampleJob("digest");
    for (const id of ["a", "b", "c", "d", "e", "f"]) await store.addJobRun(sampleRun(id, {}, job));
    let now = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++now);
      await new Promise(setImmediate);
      now -= 1;
    };
    const planes = [engineOn(store, [job], work), engineOn(store, [job], work)];
    context.after(() => Promise.all(planes.map(({ engine }) => engine.stop())));
    for (const { engine } of planes) await engine.start();
    await until(() => {
      for (const { engine } of planes) engine.wake();
      return planes.flatMap(({ ended }) => ended).length === 6;
    });
    assert.equal(most, 1);
    const ids = planes.flatMap(({ ended }) => ended.map(({ id }) => id));
    assert.deepEqual(ids.sort(), ["a", "b", "c", "d", "e", "f"]);
  });

  test("one time is one run, however many planes notice it, and a clock that goes back makes no second", async (context) => {
    const store = await newStore(context);
    const job = sampleJob("digest", everyMinute());
    const planes = [engineOn(store, [job], async () => {}), engineOn(store, [job], async () => {})];
    context.after(() => Promise.all(planes.map(({ engine }) => engine.stop())));
    for (const { engine } of planes) await engine.start();
    const runs = async () => (await store.jobRuns({})).filter(({ state }) => state === "succeeded").length;
    {
      using _later = moveClock(60_000);
      for (const { engine } of planes) engine.wake();
      await until(async () => (await runs()) === 1);
    }
    for (const { engine } of planes) engine.wake();
    using _again = moveClock(60_000);
    for (const { engine } of planes) engine.wake();
    await new Promise((done) => setTimeout(done, 50));
    assert.equal(await runs(), 1);
  });

  test("after an hour in which nothing ran there is one run, or one for each minute where each counts", async (context) => {
    for (const [missed, expected] of [
      ["once", 1],
      ["skip", 1],
      ["all", 60],
    ] as const) {
      const store = await newStore(context);
      const job = sampleJob("digest", everyMinute(missed));
      const { engine, ended } = engineOn(store, [job], async () => {});
      await engine.start();
      using _later = moveClock(3_600_000);
      engine.wake();
      await until(() => ended.length === expected);
      await engine.stop();
      assert.equal((await store.jobRuns({})).length, expected, missed);
    }
  });

  test("a run whose plane is gone is taken over, and ends once, whatever the first still does", async (context) => {
    const store = await newStore(context);
    const job = sampleJob("digest");
    await store.addJobRun(sampleRun("one", {}, job));
    const free = Promise.withResolvers<void>();
    const first = engineOn(store, [job], () => free.promise);
    await first.engine.start();
    await until(() => first.events.includes("job.task"));
    using _later = moveClock(31_000);
    const second = engineOn(store, [job], async () => {});
    context.after(() => Promise.all([first.engine.stop(), second.engine.stop()]));
    await second.engine.start();
    await until(() => second.ended.length === 1);
    free.resolve();
    await first.engine.ended("one", { waitMs: 1_000 });
    await new Promise((done) => setTimeout(done, 20));
    assert.deepEqual(first.ended, [], "it has lost the run and says nothing about it");
    const run = await store.jobRun("one");
    assert.deepEqual([run?.state, run?.starts, run?.tasks[0]?.attempts], ["succeeded", 2, 2]);
  });

  test("a plane that stops leaves its runs to the next, and one that is cancelled is over", async (context) => {
    const store = await newStore(context);
    const job = sampleJob("digest", { concurrency: 2 });
    for (const id of ["left", "cancelled"]) await store.addJobRun(sampleRun(id, { most: 2 }, job));
    const untilAborted: Work = (_, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    const first = engineOn(store, [job], untilAborted);
    await first.engine.start();
    await until(() => first.events.filter((type) => type === "job.task").length === 2);
    assert.equal(first.engine.cancelHere("cancelled"), true);
    assert.equal((await first.engine.ended("cancelled", { waitMs: 5_000 }))?.state, "cancelled");
    await first.engine.stop();
    assert.equal((await store.jobRun("left"))?.state, "running");
    const second = engineOn(store, [job], async () => {});
    context.after(() => second.engine.stop());
    await second.engine.start();
    await until(() => second.ended.length === 1);
    assert.deepEqual([second.ended[0]?.id, second.ended[0]?.state], ["left", "succeeded"]);
  });

  test("runs of jobs that this plane does not know are left to others", async (context) => {
    const store = await newStore(context);
    for (let at = 0; at < 30; at++)
      await store.addJobRun(sampleRun(`x${at}`, { priority: 9 }, sampleJob(`x${at}`)));
    const job = sampleJob("digest");
    await store.addJobRun(sampleRun("ours", {}, job));
    const { engine, ended } = engineOn(store, [job], async () => {});
    context.after(() => engine.stop());
    await engine.start();
    await until(() => ended.length === 1);
    assert.equal((await store.jobRuns({ state: "scheduled" })).length, 30);
  });
});
