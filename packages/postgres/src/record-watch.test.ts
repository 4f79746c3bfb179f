import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createRecordWatch } from "./record-watch.ts";

/** A store that records are added to, and how often it was asked. */
function watchedStore(context: TestContext) {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let newest = 1;
  let asked = 0;
  let heard = 0;
  let isAway = false;
  const watch = createRecordWatch(async () => {
    asked += 1;
    if (isAway) throw new Error("away");
    return newest;
  });
  return {
    watch,
    listen: () => watch.on(() => (heard += 1)),
    add: () => (newest += 1),
    isAway: (value: boolean) => (isAway = value),
    /** What came since the last time. */
    async after(ms: number) {
      const before = { asked, heard };
      await nextTurn();
      context.mock.timers.tick(ms);
      await nextTurn();
      return { asked: asked - before.asked, heard: heard - before.heard };
    },
  };
}

test("records of other planes are heard of within a quarter of a second, once", async (context) => {
  const { watch, listen, add, after } = watchedStore(context);
  listen();
  assert.deepEqual(await after(0), { asked: 0, heard: 1 });
  add();
  assert.deepEqual(await after(250), { asked: 1, heard: 1 });
  assert.deepEqual(await after(250), { asked: 1, heard: 0 });
  watch.close();
});

test("the store is asked once for all listeners, and not at all for none", async (context) => {
  const { watch, listen, after } = watchedStore(context);
  assert.deepEqual(await after(1_000), { asked: 0, heard: 0 });
  const leave = [listen(), listen()];
  await after(0);
  assert.deepEqual(await after(250), { asked: 1, heard: 0 });
  for (const one of leave) one();
  assert.deepEqual(await after(1_000), { asked: 0, heard: 0 });
  // Whatever was stored while no one listened.
  listen();
  assert.deepEqual(await after(0), { asked: 0, heard: 1 });
  watch.close();
  assert.deepEqual(await after(1_000), { asked: 0, heard: 0 });
});

test("an outage is waited for", async (context) => {
  const { watch, listen, add, isAway, after } = watchedStore(context);
  listen();
  await after(0);
  isAway(true);
  add();
  assert.deepEqual(await after(250), { asked: 1, heard: 0 });
  isAway(false);
  assert.deepEqual(await after(250), { asked: 1, heard: 1 });
  watch.close();
});
