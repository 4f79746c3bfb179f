import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { createClock } from "./due-loop.ts";

test("a clock that was set back is noticed at the next look, once", async () => {
  const looks: boolean[] = [];
  const clock = createClock(async (hasJumpedBack) => {
    looks.push(hasJumpedBack);
    return 60_000;
  });
  clock.start();
  await new Promise(setImmediate);
  mock.timers.enable({ apis: ["Date"], now: Date.now() - 3_600_000 });
  clock.wake();
  await new Promise(setImmediate);
  clock.wake();
  await clock.stop();
  mock.timers.reset();
  assert.deepEqual([looks[0], looks.filter(Boolean).length, looks.at(-1)], [false, 1, false]);
});

test("who stops a clock waits for the look that is under way, and no other follows", async () => {
  let looks = 0;
  const seen = Promise.withResolvers<void>();
  const clock = createClock(async () => {
    looks += 1;
    await seen.promise;
    return 0;
  });
  clock.start();
  const stopped = clock.stop();
  seen.resolve();
  await stopped;
  clock.wake();
  assert.deepEqual([looks, clock.isRunning()], [1, false]);
});
