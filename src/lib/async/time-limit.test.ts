import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { useMockedTime } from "../../../test/samples/mocked-time.ts";
import { TimeLimiter } from "./time-limit.ts";

useMockedTime();

test("the signal ends when the limit is over, and not before", () => {
  const limiter = new TimeLimiter(1_000, { capMs: 10_000 });
  mock.timers.tick(999);
  assert.deepEqual([limiter.signal.aborted, limiter.isExpired], [false, false]);
  mock.timers.tick(1);
  assert.deepEqual([limiter.signal.aborted, limiter.isExpired], [true, true]);
});

test("a caller that gives up ends the signal with its reason, and that is no expiry", () => {
  const caller = new AbortController();
  const limiter = new TimeLimiter(1_000, { capMs: 10_000, caller: caller.signal });
  caller.abort("enough");
  assert.deepEqual([limiter.signal.reason, limiter.isExpired], ["enough", false]);
  limiter.clear();
});

test("a caller that has given up before ends the signal at once", () => {
  const limiter = new TimeLimiter(1_000, { capMs: 10_000, caller: AbortSignal.abort("too late") });
  assert.deepEqual([limiter.signal.aborted, limiter.signal.reason], [true, "too late"]);
  limiter.clear();
});

test("an extension starts the limit again, but never beyond the cap", () => {
  const limiter = new TimeLimiter(1_000, { capMs: 2_500 });
  for (const at of [900, 1_800]) {
    mock.timers.tick(900);
    assert.equal(limiter.signal.aborted, false, `at ${at}`);
    limiter.extend();
  }
  mock.timers.tick(699);
  assert.equal(limiter.signal.aborted, false);
  mock.timers.tick(1);
  assert.equal(limiter.isExpired, true);
});

test("0 is no limit, extended or not", () => {
  const limiter = new TimeLimiter(0, { capMs: 0 });
  mock.timers.tick(1_000_000_000);
  limiter.extend();
  mock.timers.tick(1_000_000_000);
  assert.equal(limiter.signal.aborted, false);
});

test("after it is cleared nothing ends it, neither the time, an extension nor the caller", () => {
  const caller = new AbortController();
  const limiter = new TimeLimiter(1_000, { capMs: 10_000, caller: caller.signal });
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
  new TimeLimiter(2 ** 31, { capMs: 2 ** 33 });
  set.mock.restore();
  assert.ok(
    delays.every((delay) => Number(delay) < 2 ** 31),
    `armed with ${delays}`,
  );
});

test("while it is paused the time stands still, and what was left is left afterwards", () => {
  const limiter = new TimeLimiter(1_000, { capMs: 10_000 });
  mock.timers.tick(900);
  const goOn = limiter.pause();
  mock.timers.tick(50_000);
  assert.equal(limiter.signal.aborted, false);
  goOn();
  mock.timers.tick(99);
  assert.equal(limiter.signal.aborted, false);
  mock.timers.tick(1);
  assert.equal(limiter.isExpired, true);
});

test("an extension during a pause does not start the time", () => {
  const limiter = new TimeLimiter(1_000, { capMs: 10_000 });
  const goOn = limiter.pause();
  limiter.extend();
  mock.timers.tick(5_000);
  assert.equal(limiter.signal.aborted, false);
  goOn();
  mock.timers.tick(1_000);
  assert.equal(limiter.isExpired, true);
});

test("of two pauses at once the time stands still until both are over", () => {
  const limiter = new TimeLimiter(1_000, { capMs: 10_000 });
  const first = limiter.pause();
  const second = limiter.pause();
  first();
  mock.timers.tick(5_000);
  assert.equal(limiter.signal.aborted, false);
  second();
  mock.timers.tick(1_000);
  assert.equal(limiter.isExpired, true);
});

test("no moment of pauses that overlap counts against the cap", () => {
  const limiter = new TimeLimiter(1_000, { capMs: 1_000 });
  const first = limiter.pause();
  mock.timers.tick(5_000);
  const second = limiter.pause();
  first();
  mock.timers.tick(10);
  second();
  mock.timers.tick(999);
  assert.equal(limiter.signal.aborted, false);
  mock.timers.tick(1);
  assert.equal(limiter.isExpired, true);
});

test("a pause that is ended twice is ended once", () => {
  const limiter = new TimeLimiter(1_000, { capMs: 10_000 });
  const first = limiter.pause();
  first();
  first();
  limiter.pause();
  limiter.extend();
  mock.timers.tick(5_000);
  assert.equal(limiter.signal.aborted, false);
});

test("a caller that gives up during a pause ends it", () => {
  const caller = new AbortController();
  const limiter = new TimeLimiter(1_000, { capMs: 10_000, caller: caller.signal });
  limiter.pause();
  caller.abort("enough");
  assert.deepEqual([limiter.signal.reason, limiter.isExpired], ["enough", false]);
});

test("what the caller has ended does not expire afterwards", () => {
  const caller = new AbortController();
  const limiter = new TimeLimiter(1_000, { capMs: 10_000, caller: caller.signal });
  caller.abort("enough");
  mock.timers.tick(5_000);
  assert.equal(limiter.isExpired, false);
});

test("a pause that ends after it was cleared starts nothing", () => {
  const limiter = new TimeLimiter(1_000, { capMs: 10_000 });
  const goOn = limiter.pause();
  limiter.clear();
  goOn();
  mock.timers.tick(20_000);
  assert.equal(limiter.signal.aborted, false);
});

test("it can be asked how much is left, and a pause takes nothing of it", () => {
  const limiter = new TimeLimiter(1_000, { capMs: 10_000 });
  mock.timers.tick(300);
  assert.equal(limiter.leftMs(), 700);
  const goOn = limiter.pause();
  mock.timers.tick(5_000);
  assert.equal(limiter.leftMs(), 700);
  goOn();
  limiter.extend();
  assert.equal(limiter.leftMs(), 1_000);
  mock.timers.tick(2_000);
  assert.equal(limiter.leftMs(), 0);
  assert.equal(new TimeLimiter(0, { capMs: 0 }).leftMs(), Number.POSITIVE_INFINITY);
});
