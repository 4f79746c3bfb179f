import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { limitTime } from "./time-limit.ts";

beforeEach(() => mock.timers.enable({ apis: ["setTimeout", "Date"] }));
afterEach(() => mock.timers.reset());

test("the signal ends when the limit is over, and not before", () => {
  const limiter = limitTime(1_000, 10_000);
  mock.timers.tick(999);
  assert.deepEqual([limiter.signal.aborted, limiter.expired()], [false, false]);
  mock.timers.tick(1);
  assert.deepEqual([limiter.signal.aborted, limiter.expired()], [true, true]);
});

test("a caller that gives up ends the signal with its reason, and that is no expiry", () => {
  const caller = new AbortController();
  const limiter = limitTime(1_000, 10_000, caller.signal);
  caller.abort("enough");
  assert.deepEqual([limiter.signal.reason, limiter.expired()], ["enough", false]);
  limiter.clear();
});

test("a caller that has given up before ends the signal at once", () => {
  const limiter = limitTime(1_000, 10_000, AbortSignal.abort("too late"));
  assert.deepEqual([limiter.signal.aborted, limiter.signal.reason], [true, "too late"]);
  limiter.clear();
});

test("an extension starts the limit again, but never beyond the cap", () => {
  const limiter = limitTime(1_000, 2_500);
  for (const at of [900, 1_800]) {
    mock.timers.tick(900);
    assert.equal(limiter.signal.aborted, false, `at ${at}`);
    limiter.extend();
  }
  mock.timers.tick(699);
  assert.equal(limiter.signal.aborted, false);
  mock.timers.tick(1);
  assert.equal(limiter.expired(), true);
});

test("0 is no limit, extended or not", () => {
  const limiter = limitTime(0, 0);
  mock.timers.tick(1_000_000_000);
  limiter.extend();
  mock.timers.tick(1_000_000_000);
  assert.equal(limiter.signal.aborted, false);
});

test("after it is cleared nothing ends it, neither the time, an extension nor the caller", () => {
  const caller = new AbortController();
  const limiter = limitTime(1_000, 10_000, caller.signal);
  limiter.clear();
  limiter.extend();
  caller.abort();
  mock.timers.tick(20_000);
  assert.equal(limiter.signal.aborted, false);
});

test("a limit longer than a timer can hold is not cut to nothing", () => {
  mock.timers.reset();
  const delays: unknown[] = [];
  const set = mock.method(globalThis, "setTimeout", (_: unknown, delay: unknown) => {
    delays.push(delay);
  });
  limitTime(2 ** 31, 2 ** 33);
  set.mock.restore();
  assert.ok(
    delays.every((delay) => Number(delay) < 2 ** 31),
    `armed with ${delays}`,
  );
});
