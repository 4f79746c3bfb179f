import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type JobRunState,
  jobRunStates,
  type TaskState,
  taskStates,
} from "@toolplane/core/model/work/job-run";
import { sampleJob, sampleRun } from "@toolplane/test/samples/jobs";
import { moveRun, moveTask, runArrows, taskArrows } from "./states.ts";

const now = Date.parse("2026-03-01T12:00:00Z");

/** Each state with those that may follow it. */
const runs: Record<JobRunState, string> = {
  draft: "scheduled running cancelled",
  scheduled: "running cancelled",
  running: "succeeded failed cancelled",
  succeeded: "",
  failed: "",
  cancelled: "",
};
const tasks: Record<TaskState, string> = {
  draft: "ready cancelled",
  ready: "in_progress cancelled",
  in_progress: "review cancelled",
  review: "done cancelled",
  done: "",
  cancelled: "",
};

test("a run and a task change their state as the table says, and in no other way", () => {
  for (const from of jobRunStates) assert.equal(runArrows[from].join(" "), runs[from], from);
  for (const from of taskStates) assert.equal(taskArrows[from].join(" "), tasks[from], from);
  for (const from of jobRunStates)
    for (const to of jobRunStates) {
      const run = sampleRun("one", { state: from, tasks: [] });
      const isAllowed = runs[from].split(" ").includes(to);
      if (isAllowed) assert.equal(moveRun(run, to, now).state, to);
      else assert.throws(() => moveRun(run, to, now), { code: "CONFLICT" }, `${from} → ${to}`);
    }
});

test("a task begins when those it depends on are over, and a run succeeds when all are done", () => {
  const job = sampleJob("j", {
    task_graph: [
      { task: "a", depends_on: [] },
      { task: "b", depends_on: ["a"] },
    ],
  });
  const run = sampleRun("one", { state: "running" }, job);
  assert.throws(() => moveTask(run, "b", "ready", now), /before 'a' is over/);
  assert.throws(() => moveRun(run, "succeeded", now), /before all its tasks are done/);
  const done = (["ready", "in_progress", "review", "done"] as const).reduce(
    (at, state) => moveTask(at, "a", state, now),
    run,
  );
  assert.equal(moveTask(done, "b", "ready", now).tasks[1]?.state, "ready");
});

test("a run that ends takes with it what has not ended", () => {
  const run = sampleRun("one", { state: "running" });
  const ended = moveRun(run, "failed", now);
  assert.deepEqual(
    [ended.tasks[0]?.state, ended.endedAt, ended.dueAt],
    ["cancelled", "2026-03-01T12:00:00.000Z", null],
  );
});
