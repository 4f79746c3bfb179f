import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, suite, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createRetryLoop } from "./retry-loop.ts";

const hourMs = 3_600_000;

async function move(ms: number): Promise<void> {
  mock.timers.tick(ms);
  for (let turn = 0; turn < 5; turn++) await nextTurn();
}

/** Entries that are due at their time and gone when they are done. */
function sampleLoop(dueAt: number[] = []) {
  const world = { dueAt, looks: 0, cleaned: 0, done: [] as number[], broken: false };
  const loop = createRetryLoop<number>({
    async due(now) {
      world.looks += 1;
      if (world.broken) throw new Error("disk");
      return world.dueAt.filter((at) => at <= now);
    },
    async work(at) {
      world.done.push(at);
      world.dueAt = world.dueAt.filter((other) => other !== at);
    },
    nextAt: async (after) => world.dueAt.filter((at) => at > after).sort((a, b) => a - b)[0] ?? null,
    async clean() {
      world.cleaned += 1;
    },
  });
  return { loop, world };
}

suite("the loop that retries", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setTimeout", "Date"], now: 0 }));
  afterEach(() => mock.timers.reset());

  test("does nothing before it is started", async () => {
    const { loop, world } = sampleLoop([0]);
    loop.wake();
    await move(hourMs);
    assert.equal(world.looks, 0);
  });

  test("does what is due at the start, and the rest each at its time", async () => {
    const { loop, world } = sampleLoop([0, 60_000, 300_000]);
    loop.start();
    await move(0);
    assert.deepEqual(world.done, [0]);
    await move(59_999);
    assert.deepEqual(world.done, [0]);
    await move(1);
    assert.deepEqual(world.done, [0, 60_000]);
    await move(240_000);
    assert.deepEqual([world.done, world.looks], [[0, 60_000, 300_000], 3]);
    await loop.stop();
  });

  test("does not look while nothing is due, but cleans up once a day", async () => {
    const { loop, world } = sampleLoop();
    loop.start();
    await move(23 * hourMs);
    assert.deepEqual([world.looks, world.cleaned], [1, 1]);
    await move(hourMs);
    assert.deepEqual([world.looks, world.cleaned], [2, 2]);
    await loop.stop();
  });

  test("looks again when it is woken", async () => {
    const { loop, world } = sampleLoop();
    loop.start();
    await move(0);
    world.dueAt = [5_000];
    loop.wake();
    await move(0);
    await move(5_000);
    assert.deepEqual(world.done, [5_000]);
    await loop.stop();
  });

  test("a store that fails is asked again after a minute", async () => {
    const { loop, world } = sampleLoop([10]);
    world.broken = true;
    loop.start();
    await move(0);
    world.broken = false;
    await move(59_000);
    assert.deepEqual([world.looks, world.done], [1, []]);
    await move(1_000);
    assert.deepEqual(world.done, [10]);
    await loop.stop();
  });

  test("works on four at a time, and one that hangs does not hold up the others", async () => {
    const gate = Promise.withResolvers<void>();
    const state = { now: 0, most: 0, done: 0 };
    const loop = createRetryLoop<number>({
      due: async () => (state.done === 0 ? [0, 1, 2, 3, 4, 5, 6, 7] : []),
      async work(at) {
        state.most = Math.max(state.most, ++state.now);
        if (at === 0) await gate.promise;
        else await nextTurn();
        state.now -= 1;
        state.done += 1;
      },
      nextAt: async () => null,
      clean: async () => undefined,
    });
    loop.start();
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    assert.deepEqual([state.most, state.done, state.now], [4, 7, 1]);
    gate.resolve();
    await loop.stop();
    assert.equal(state.done, 8);
  });

  test("once stopped it starts nothing more and cannot be started again", async () => {
    const { loop, world } = sampleLoop([60_000]);
    loop.start();
    await move(0);
    await loop.stop();
    loop.start();
    loop.wake();
    await move(24 * hourMs);
    assert.deepEqual([world.looks, world.done], [1, []]);
  });
});
