import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { sharedRun } from "./sync-file.ts";

test("whenever a call comes, it waits for the end of a run that began after it", async () => {
  for (let depth = 0; depth < 12; depth += 1) {
    let begun = 0;
    let ended = 0;
    const shared = sharedRun(async () => {
      begun += 1;
      await nextTurn();
      ended += 1;
    });
    /** What was begun before the call does not cover it. */
    const covered = async () => {
      const before = begun;
      await shared();
      assert.ok(ended > before, `after ${depth} steps: ${ended} runs ended, ${before} had begun`);
    };
    const first = shared();
    const during = covered();
    await nextTurn();
    for (let step = 0; step < depth; step += 1) await Promise.resolve();
    await Promise.all([first, during, covered()]);
    assert.ok(begun <= 3);
  }
});

test("a run that fails fails those who waited for it, and no one after it", async () => {
  let runs = 0;
  const shared = sharedRun(async () => {
    runs += 1;
    if (runs === 1) throw new Error("disk");
  });
  const outcomes = await Promise.allSettled([shared(), shared()]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["rejected", "fulfilled"],
  );
});
