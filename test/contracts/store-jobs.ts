import assert from "node:assert/strict";
import type { JobSchedule } from "../../src/model/work/job-run.ts";
import { sampleRun } from "../samples/jobs.ts";
import type { Promises } from "./opened-store.ts";

const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 12, minute)).toISOString();

function schedule(job: string, changes: Partial<JobSchedule> = {}): JobSchedule {
  return {
    job,
    owner: null,
    recurrence: "{}",
    anchor: at(0),
    nextAt: at(5),
    priority: 0,
    paused: null,
    revision: 0,
    ...changes,
  };
}

export const jobPromises: Promises = {
  "keeps a schedule once, and lets only those change it who have read it last": async ({
    store,
    reopen,
  }) => {
    assert.deepEqual(
      await store.putJobSchedules([schedule("a"), schedule("a", { nextAt: at(9) })]),
      [true, false],
    );
    assert.deepEqual(await store.putJobSchedules([schedule("a", { owner: "Atlas" })]), [true]);
    const read = (await store.jobSchedule("a", null)) as JobSchedule;
    assert.deepEqual(read, schedule("a", { revision: 1 }));
    const moved = { ...read, nextAt: at(7) };
    assert.deepEqual(await store.putJobSchedules([moved, { ...moved, nextAt: at(8) }]), [
      true,
      false,
    ]);
    const again = await reopen();
    assert.equal((await again.jobSchedule("a", null))?.nextAt, at(7));
    assert.equal((await again.jobSchedules()).length, 2);
    assert.equal(await again.jobSchedule("b", null), null);
  },

  "tells which schedules are due, the most urgent first": async ({ store }) => {
    const paused = { at: at(0), by: "ada" };
    await store.putJobSchedules([
      schedule("late", { nextAt: at(1) }),
      schedule("urgent", { nextAt: at(4), priority: 9 }),
      schedule("paused", { nextAt: at(1), paused }),
      schedule("over", { nextAt: null }),
      schedule("later", { nextAt: at(30) }),
    ]);
    assert.deepEqual(
      (await store.dueJobSchedules(at(4))).map(({ job }) => job),
      ["urgent", "late"],
    );
  },

  "moves a schedule on and adds its runs, both or neither": async ({ store }) => {
    await store.putJobSchedules([schedule("digest")]);
    const read = (await store.jobSchedule("digest", null)) as JobSchedule;
    const fire = (id: string) =>
      store.fireJobSchedules([{ schedule: { ...read, nextAt: at(9) }, runs: [sampleRun(id)] }]);
    assert.deepEqual([await fire("one"), await fire("two")], [[true], [false]]);
    assert.deepEqual(
      (await store.jobRuns({ job: "digest" })).map(({ id }) => id),
      ["one"],
    );
  },

  "gives the run back that has the slot": async ({ store }) => {
    const first = await store.addJobRun(sampleRun("one", { slot: "same" }));
    assert.equal(first.id, "one");
    assert.equal((await store.addJobRun(sampleRun("two", { slot: "same" }))).id, "one");
    assert.deepEqual(
      await store.jobRun("one"),
      sampleRun("one", { slot: "same", idempotencyKey: first.idempotencyKey }),
    );
    assert.equal(await store.jobRun("two"), null);
  },

  "gives the run back that has the slot of an earlier version, to its user": async ({ store }) => {
    await store.addJobRun(sampleRun("one", { slot: "earlier", user: "ada" }));
    const ask = async (id: string, user: string) =>
      (await store.addJobRun(sampleRun(id, { slot: `slot-${id}`, user }), "earlier")).id;
    assert.deepEqual(
      [await ask("two", "ada"), await ask("three", "bob"), await ask("three", "bob")],
      ["one", "three", "three"],
    );
    assert.equal(await store.jobRun("two"), null);
  },

  "lets a run begin only where its job has room, and what is gone makes room": async ({
    store,
  }) => {
    for (const id of ["a", "b", "c"]) await store.addJobRun(sampleRun(id, { dueAt: at(0) }));
    const begin = async (id: string, minute = 1) => {
      const run = await store.jobRun(id);
      return (
        run !== null && store.claimJobRun({ ...run, state: "running", dueAt: at(5) }, at(minute))
      );
    };
    assert.deepEqual([await begin("a"), await begin("b")], [true, false]);
    assert.equal(await begin("c", 6), true, "no one has renewed the lease of the first");
    const read = await store.jobRun("a");
    assert.ok(read);
    assert.equal(
      await store.replaceJobRun({ ...read, state: "succeeded", dueAt: null, endedAt: at(2) }),
      true,
    );
    assert.equal(
      await store.replaceJobRun({ ...read, state: "failed", dueAt: null, endedAt: at(3) }),
      false,
    );
    assert.deepEqual([(await store.jobRun("a"))?.state, await begin("b", 6)], ["succeeded", true]);
    assert.equal(await store.activeJobRuns("digest", null), 2);
  },

  "lists runs newest first for those who may see them, and drops those that ended before": async ({
    store,
  }) => {
    await store.addJobRun(sampleRun("a", { state: "failed", endedAt: at(1), dueAt: null }));
    await store.addJobRun(sampleRun("b", { user: "bob" }));
    await store.addJobRun(sampleRun("c", { user: null, origin: "schedule", owner: "Atlas" }));
    const idsOf = async (filter: Parameters<typeof store.jobRuns>[0]) =>
      (await store.jobRuns(filter)).map(({ id }) => id).join("");
    assert.equal(await idsOf({}), "cba");
    assert.equal(await idsOf({ seenBy: "ada" }), "ca");
    assert.equal(await idsOf({ owner: null }), "ba");
    assert.equal(await idsOf({ state: "failed" }), "a");
    assert.equal(await idsOf({ origin: "request" }), "ba");
    assert.equal(await idsOf({ before: "c", limit: 1 }), "b");
    assert.equal(await store.forgetJobRuns(at(2)), 1);
    assert.equal(await idsOf({}), "cb");
  },
};
