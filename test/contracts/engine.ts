import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Recurrence } from "../../src/model/work/job.ts";
import type { JobRunState } from "../../src/model/work/job-run.ts";
import { until } from "../fixtures/until.ts";
import { sampleJob, sampleRun } from "../samples/jobs.ts";
import { dueLetterPromises } from "./engine-letters.ts";
import { counting, type EngineWorld, gate, planeOn } from "./engine-planes.ts";

export type EnginePromises = { [sentence: string]: (world: EngineWorld) => Promise<void> };

const hourMs = 3_600_000;

/** Half an hour from now, and far from any time at which the test may run. */
const everyHour = (missed: Recurrence["missed"] = "once") => ({
  recurrence: {
    cron: `${(new Date().getUTCMinutes() + 30) % 60} * * * *`,
    timezone: "UTC",
    missed,
  },
});

const orderPromises: EnginePromises = {
  "what is due begins in the order of its priority, up to the concurrency limit": async (world) => {
    const jobs = Array.from({ length: 60 }, (_, at) =>
      sampleJob(`job-${at}`, { priority: (at * 7) % 20 }),
    );
    const { work, seen } = counting();
    await using plane = await planeOn(world, { jobs, work });
    for (const job of jobs) await plane.store.addJobRun(sampleRun(job.name, {}, job));
    await plane.start();
    await until("all are over", () => plane.ended.length === jobs.length);
    assert.ok(seen.most <= 4, `${seen.most} at a time`);
    // Those that run at the same time may be reported in any order.
    const begun = seen.runs.map((id) => jobs.find(({ name }) => name === id)?.priority ?? -1);
    const sorted = [...begun].sort((a, b) => b - a);
    assert.ok(
      begun.every((priority, at) => Math.abs(priority - (sorted[at] ?? 0)) <= 2),
      begun.join(),
    );
    assert.ok(plane.ended.every(({ state, starts }) => state === "succeeded" && starts === 1));
    await until("nothing is left", async () => (await world.leftOver()) === 0);
  },

  "runs of one job wait for each other, oldest first, also in two planes": async (world) => {
    const job = sampleJob("digest");
    const { work, seen } = counting();
    await using left = await planeOn(world, { jobs: [job], work });
    await using right = await planeOn(world, { jobs: [job], work });
    const ids = ["f", "e", "d", "c", "b", "a"];
    for (const [at, id] of ids.entries()) {
      const createdAt = new Date(Date.UTC(2026, 2, 1, 12, at)).toISOString();
      await left.store.addJobRun(sampleRun(id, { createdAt }, job));
    }
    for (const plane of [left, right]) await plane.start();
    await until("all are over", () => left.ended.length + right.ended.length === 6);
    assert.equal(seen.most, 1);
    assert.deepEqual(seen.runs, ids);
  },

  "two planes share what is due, and no run is done twice": async (world) => {
    const jobs = Array.from({ length: 20 }, (_, at) => sampleJob(`job-${at}`));
    const { work, begun, open } = gate();
    await using left = await planeOn(world, { jobs, work, most: 2 });
    await using right = await planeOn(world, { jobs, work, most: 2 });
    for (const job of jobs) await left.store.addJobRun(sampleRun(job.name, {}, job));
    for (const plane of [left, right]) await plane.start();
    await until("both have begun as many as they may", () => begun.length === 4);
    open();
    await until("all are over", () => left.ended.length + right.ended.length === jobs.length);
    assert.deepEqual([begun.length, new Set(begun).size], [jobs.length, jobs.length]);
  },

  "as many runs of a job are under way as it allows, and no more": async (world) => {
    const job = sampleJob("digest", { concurrency: 3 });
    const { work, begun, open } = gate();
    await using plane = await planeOn(world, { jobs: [job], work, most: 8 });
    for (const id of ["a", "b", "c", "d", "e"])
      await plane.store.addJobRun(sampleRun(id, { most: 3 }, job));
    await plane.start();
    await until("three are under way", () => begun.length === 3);
    plane.loop.wake();
    assert.equal((await plane.store.jobRuns({ state: "running" })).length, 3);
    open();
    await until("all are over", () => plane.ended.length === 5);
  },
};

const timePromises: EnginePromises = {
  "one time is one run, however many planes notice it, and a clock that goes back makes no second":
    async (world) => {
      const job = sampleJob("digest", everyHour());
      await using left = await planeOn(world, { jobs: [job] });
      await using right = await planeOn(world, { jobs: [job] });
      const planes = [left, right];
      for (const plane of planes) await plane.start();
      await until("it has a time", async () => (await left.store.jobSchedules()).length === 1);
      const wake = () => {
        for (const plane of planes) plane.loop.wake();
      };
      const runs = async () => (await left.store.jobRuns({ state: "succeeded" })).length;
      {
        using _later = await world.later(0.75 * hourMs);
        wake();
        await until("there is a run", async () => (await runs()) === 1);
      }
      wake();
      using _again = await world.later(0.75 * hourMs);
      wake();
      await new Promise((done) => setTimeout(done, 50));
      assert.equal(await runs(), 1);
    },

  "after a day in which nothing ran there is one run, none, or one for each time, as the job says":
    async (world) => {
      const counts = { once: 1, skip: 0, all: 24 };
      const jobs = Object.keys(counts).map((missed) =>
        sampleJob(missed, everyHour(missed as Recurrence["missed"])),
      );
      await using plane = await planeOn(world, { jobs });
      await plane.start();
      await until("they have times", async () => (await plane.store.jobSchedules()).length === 3);
      using _later = await world.later(24 * hourMs);
      plane.loop.wake();
      await until("all are over", () => plane.ended.length === 25);
      for (const [job, count] of Object.entries(counts))
        assert.equal((await plane.store.jobRuns({ job })).length, count, job);
    },

  "what a person asked for and waits does not stand for the run of a time that has come": async (
    world,
  ) => {
    const job = sampleJob("digest", everyHour());
    const { work, begun, open } = gate();
    await using plane = await planeOn(world, { jobs: [job], work });
    await plane.start();
    await until("it has a time", async () => (await plane.store.jobSchedules()).length === 1);
    for (const id of ["running", "waiting"]) await plane.store.addJobRun(sampleRun(id, {}, job));
    plane.loop.wake();
    await until("one is under way", () => begun.length === 1);
    using _later = await world.later(0.75 * hourMs);
    plane.loop.wake();
    const byTheClock = async () => (await plane.store.jobRuns({ origin: "schedule" })).length;
    await until("the time has its run", async () => (await byTheClock()) === 1);
    open();
  },
};

const endPromises: EnginePromises = {
  "a run whose plane is gone is taken over, and ends once, whatever the first still does": async (
    world,
  ) => {
    const job = sampleJob("digest");
    const { work, begun, open } = gate();
    await using first = await planeOn(world, { jobs: [job], work });
    await first.store.addJobRun(sampleRun("one", {}, job));
    await first.start();
    await until("it is under way", () => begun.length === 1);
    using _later = await world.later(31_000);
    await using second = await planeOn(world, { jobs: [job] });
    await second.start();
    await until("it is over", () => second.ended.length === 1);
    open();
    await first.engine.ended("one", { waitMs: 1_000 });
    await until("the first has let go of it", () => first.engine.handler.room() === 4);
    assert.deepEqual(first.ended, [], "it has lost the run and says nothing about it");
    const run = await second.store.jobRun("one");
    assert.deepEqual([run?.state, run?.starts, run?.tasks[0]?.attempts], ["succeeded", 2, 2]);
  },

  "a plane that stops leaves its runs to the next at once, and one that is cancelled is over":
    async (world) => {
      const job = sampleJob("digest", { concurrency: 2 });
      const { work, begun } = gate();
      const first = await planeOn(world, { jobs: [job], work });
      await using second = await planeOn(world, { jobs: [job] });
      for (const id of ["left", "cancelled"])
        await first.store.addJobRun(sampleRun(id, { most: 2 }, job));
      await first.start();
      await until("both are under way", () => begun.length === 2);
      assert.equal(first.engine.cancelHere("cancelled"), true);
      assert.equal((await first.engine.ended("cancelled", { waitMs: 5_000 }))?.state, "cancelled");
      await first.stop();
      assert.equal((await second.store.jobRun("left"))?.state, "running");
      await second.start();
      await until("the other is over", () => second.ended.length === 1);
      assert.deepEqual([second.ended[0]?.id, second.ended[0]?.state], ["left", "succeeded"]);
      await until("nothing is left", async () => (await world.leftOver()) === 0);
    },

  "a run that another has ended is not gone on with": async (world) => {
    const job = sampleJob("digest");
    const { work, begun } = gate();
    await using plane = await planeOn(world, { jobs: [job], work });
    await using other = await planeOn(world, {});
    await plane.store.addJobRun(sampleRun("one", {}, job));
    await plane.start();
    await until("it is under way", () => begun.length === 1);
    const run = (await other.store.jobRun("one")) ?? assert.fail();
    const state: JobRunState = "cancelled";
    const endedAt = new Date().toISOString();
    assert.equal(await other.store.replaceJobRun({ ...run, state, endedAt, dueAt: null }), true);
    // Where the store does not tell, the plane would notice when it next says that it is there.
    plane.engine.heard("one");
    await until("it is let go of", () => plane.engine.handler.room() === 4);
    assert.deepEqual(plane.ended, []);
    await until("nothing is left", async () => (await world.leftOver()) === 0);
  },

  "runs of jobs that this plane does not know are left to one that does": async (world) => {
    const others = Array.from({ length: 12 }, (_, at) => sampleJob(`x${at}`));
    const job = sampleJob("digest");
    await using plane = await planeOn(world, { jobs: [job], most: 2 });
    await using knowing = await planeOn(world, { jobs: others, most: 2 });
    for (const { name } of others)
      await plane.store.addJobRun(sampleRun(name, { priority: 9 }, sampleJob(name)));
    await plane.store.addJobRun(sampleRun("ours", {}, job));
    await plane.start();
    await until("ours is over", () => plane.ended.length === 1);
    assert.equal((await plane.store.jobRuns({ state: "scheduled" })).length, 12);
    plane.learn(others[0] ?? job);
    await until("what was learned is over", () => plane.ended.length === 2);
    await knowing.start();
    await until("theirs are over", () => knowing.ended.length === 11);
  },

  "a run that is made by a plane that begins none is begun by one that does": async (world) => {
    const job = sampleJob("digest");
    await using plane = await planeOn(world, { jobs: [job] });
    await using asking = await planeOn(world, {});
    await plane.start();
    await asking.store.addJobRun(sampleRun("one", {}, job));
    // Where the store does not tell, it would be found with the next look.
    await until("it is over", () => {
      plane.loop.wake();
      return plane.ended.length === 1;
    });
  },
};

const all = { ...orderPromises, ...timePromises, ...endPromises, ...dueLetterPromises };

/** Proves that what is due is done as promised, whatever gives it out. */
export function engineContract(
  name: string,
  create: () => Promise<EngineWorld & AsyncDisposable>,
): void {
  suite(name, () => {
    for (const [sentence, proof] of Object.entries(all))
      test(sentence, async () => {
        await using world = await create();
        await proof(world);
      });
  });
}
