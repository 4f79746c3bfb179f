import assert from "node:assert/strict";
import { mock, suite, test } from "node:test";
import { useMockedTime } from "../../test/samples/mocked-time.ts";
import { createIdleTimer } from "./connection.ts";

function sample(limitMs: number) {
  const idle = { count: 0 };
  const watch = createIdleTimer(limitMs, () => {
    idle.count += 1;
  });
  return { watch, idle };
}

suite("the idle watch", () => {
  useMockedTime();

  test("tells once when nothing was used for the whole time", () => {
    const { watch, idle } = sample(1_000);
    watch.used();
    mock.timers.tick(999);
    assert.equal(idle.count, 0);
    mock.timers.tick(1);
    assert.equal(idle.count, 1);
    mock.timers.tick(10_000);
    assert.equal(idle.count, 1);
  });

  test("every use starts the time again", () => {
    const { watch, idle } = sample(1_000);
    for (let use = 0; use < 10; use++) {
      watch.used();
      mock.timers.tick(900);
    }
    assert.equal(idle.count, 0);
    mock.timers.tick(100);
    assert.equal(idle.count, 1);
  });

  test("what is used after it was idle is watched again", () => {
    const { watch, idle } = sample(1_000);
    watch.used();
    mock.timers.tick(1_000);
    watch.used();
    mock.timers.tick(1_000);
    assert.equal(idle.count, 2);
  });

  test("what was never used is not idle, and 0 is never", () => {
    const never = sample(0);
    never.watch.used();
    const unused = sample(10);
    mock.timers.tick(10 ** 9);
    assert.deepEqual([never.idle.count, unused.idle.count], [0, 0]);
  });

  test("a stop ends it", () => {
    const { watch, idle } = sample(1_000);
    watch.used();
    watch.stop();
    mock.timers.tick(10_000);
    assert.equal(idle.count, 0);
  });

  test("a limit longer than a timer can hold is not cut to nothing", () => {
    const { watch, idle } = sample(2 ** 32);
    watch.used();
    mock.timers.tick(2 ** 31 - 1);
    assert.equal(idle.count, 0);
    mock.timers.tick(2 ** 31 + 1);
    assert.equal(idle.count, 1);
  });
});
