import assert from "node:assert/strict";
import { test } from "node:test";
import { createTimeWheel } from "./time-wheel.ts";

function entry(name: string, ended: string[]) {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    name,
    promise,
    expire() {
      ended.push(name);
      resolve();
    },
  };
}

test("what is not removed expires in order, and what is removed never does", async () => {
  const wheel = createTimeWheel<ReturnType<typeof entry>>();
  const ended: string[] = [];
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => entry(name, ended)) as [
    ReturnType<typeof entry>,
    ReturnType<typeof entry>,
    ReturnType<typeof entry>,
    ReturnType<typeof entry>,
  ];
  wheel.add(a, 20);
  const removed = wheel.add(b, 20);
  wheel.add(c, 20);
  wheel.add(d, 5);
  wheel.remove(removed);
  wheel.remove(removed);
  assert.deepEqual(
    wheel.all().map(({ name }) => name),
    ["a", "c", "d"],
  );
  // Timers of the wheel keep no process alive.
  const alive = setInterval(() => undefined, 1_000);
  await Promise.all([a.promise, c.promise, d.promise]);
  clearInterval(alive);
  assert.deepEqual(ended, ["d", "a", "c"]);
  assert.deepEqual(wheel.all(), []);
});

test("a limit of 0 never ends, and is known as long as it runs", () => {
  const wheel = createTimeWheel<ReturnType<typeof entry>>();
  const one = entry("one", []);
  const spoke = wheel.add(one, 0);
  assert.deepEqual(wheel.all(), [one]);
  wheel.remove(spoke);
  assert.deepEqual(wheel.all(), []);
});
