import assert from "node:assert/strict";
import { test } from "node:test";
import { inOrder } from "./semaphore.ts";

test("results come in the order of the items, whichever is done first", async () => {
  const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
  const results = Array.fromAsync(
    inOrder([0, 1, 2, 3], { parallel: 4 }, async (item) => {
      await gates[item]?.promise;
      return item * 10;
    }),
  );
  for (const gate of gates.toReversed()) gate.resolve();
  assert.deepEqual(await results, [0, 10, 20, 30]);
});

test("no more are worked on at a time than there may be", async () => {
  let inside = 0;
  let most = 0;
  const work = async (item: number) => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise(setImmediate);
    inside -= 1;
    return item;
  };
  const results = await Array.fromAsync(inOrder(Array(50).keys(), { parallel: 3 }, work));
  assert.deepEqual([results.length, most], [50, 3]);
});

test("items are taken when there is room for them", async () => {
  let taken = 0;
  function* endless() {
    for (;;) {
      taken += 1;
      yield taken;
    }
  }
  const results = inOrder(endless(), { parallel: 2, ahead: 5 }, async (item) => item);
  assert.equal((await results.next()).value, 1);
  assert.equal(taken, 5);
  await results.return();
});

test("the end of the iteration stops running work", async () => {
  const signals: AbortSignal[] = [];
  const results = inOrder([1, 2, 3], { parallel: 2, ahead: 2 }, async (item, _, signal) => {
    signals.push(signal);
    if (item > 1) await new Promise(() => undefined);
    return item;
  });
  for await (const _ of results) break;
  assert.ok(signals.length > 0 && signals.every(({ aborted }) => aborted));
});

test("a signal ends it, and so does a failure", async () => {
  const stop = new AbortController();
  const results = inOrder([1, 2], { parallel: 1, signal: stop.signal }, async (item) => {
    stop.abort(new Error("enough"));
    return item;
  });
  await assert.rejects(Array.fromAsync(results), /enough/);
  const failing = inOrder([1, 2], { parallel: 2 }, async (item) => {
    if (item === 1) throw new Error("broken");
    return item;
  });
  await assert.rejects(Array.fromAsync(failing), /broken/);
});
