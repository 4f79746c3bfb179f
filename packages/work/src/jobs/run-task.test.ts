import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type ErrorCode, PlaneError } from "@toolplane/core/model/errors";
import { usualRetries } from "@toolplane/core/model/work/job";
import type { KeptStep, KeptTask } from "@toolplane/core/model/work/job-run";
import { sampleRun } from "@toolplane/test/samples/jobs";
import { moveTime, settled, useMockedTime } from "@toolplane/test/samples/mocked-time";
import { holdRun } from "./hold-run.ts";
import { mayTryAgain, runTask, type TaskParts, taskDelayMs } from "./run-task.ts";

const step = (changes: Partial<KeptStep>): KeptStep => ({
  skill: "s",
  id: "one",
  tool: "t",
  state: "failed",
  record: null,
  at: "2026-03-01T12:00:00.000Z",
  durationMs: 1,
  error: null,
  repeatable: false,
  ...changes,
});

function taskWith(work: TaskParts["work"]) {
  const stopping = new AbortController().signal;
  const parts = { replace: async () => true, read: async () => null, stopping };
  const held = holdRun(sampleRun("one", { state: "running" }), parts);
  const signal = new AbortController().signal;
  const run = runTask(
    "work",
    { held, retry: usualRetries, work, onMoved: () => {}, random: () => 0 },
    signal,
  );
  return { held, run: run.finally(held.end), task: () => held.current().tasks[0] };
}

suite("a task", () => {
  useMockedTime();

  test("is tried three times, after half a minute and a minute", async () => {
    let tries = 0;
    const { run, task } = taskWith(async () => {
      tries += 1;
      if (tries < 3) throw new PlaneError("SERVER_UNAVAILABLE", "It is unreachable.");
      return "done";
    });
    const view = settled(run);
    await moveTime(0);
    await moveTime(29_999);
    assert.equal(tries, 1);
    await moveTime(1);
    assert.equal(tries, 2);
    await moveTime(59_999);
    assert.equal(tries, 2);
    await moveTime(1);
    await run;
    assert.deepEqual(
      [view.state, task()?.state, task()?.attempts, task()?.result],
      ["fulfilled", "done", 3, "done"],
    );
  });

  test("is not tried again when something may have happened that may not happen twice", async () => {
    let tries = 0;
    const { run, task } = taskWith(async (_task, _input, memory) => {
      tries += 1;
      await memory.keep(step({}));
      throw new PlaneError("TIMEOUT", "No answer.");
    });
    await assert.rejects(run, { code: "TIMEOUT" });
    assert.deepEqual([tries, task()?.state, task()?.error?.code], [1, "cancelled", "TIMEOUT"]);
  });
});

test("a task may be tried again when all that was begun is done or harmless", () => {
  const may = (code: ErrorCode, ...steps: KeptStep[]) => {
    const [task] = sampleRun("one").tasks;
    assert.ok(task);
    return mayTryAgain(new PlaneError(code, "No."), { ...task, attempts: 1, steps }, usualRetries);
  };
  assert.equal(
    may("TIMEOUT", step({ state: "succeeded" }), step({ id: "two", repeatable: true })),
    true,
  );
  assert.equal(may("TIMEOUT", step({ state: "succeeded" }), step({ id: "two" })), false);
  assert.equal(may("INVALID_ARGUMENTS"), false);
  assert.equal(may("NOT_READY"), true);
  const missing = (kind: string) =>
    mayTryAgain(
      new PlaneError("NOT_READY", "No.", { data: { reasons: [{ kind, name: "n", reason: "r" }] } }),
      { ...(sampleRun("one").tasks[0] as KeptTask), attempts: 1 },
      usualRetries,
    );
  assert.deepEqual([missing("server"), missing("input")], [true, false]);
});

test("between two tries is half a minute, doubled each time, and a little more", () => {
  assert.deepEqual(
    [1, 2, 3].map((tries) => taskDelayMs(tries, usualRetries, () => 0)),
    [30_000, 60_000, 120_000],
  );
  assert.equal(
    taskDelayMs(1, usualRetries, () => 1),
    35_000,
  );
  assert.equal(
    taskDelayMs(20, { ...usualRetries, multiplier: 1_000 }),
    24 * 3_600_000,
    "a day at most",
  );
});
