import assert from "node:assert/strict";
import { test } from "node:test";
import { createQuiet } from "./quiet.ts";

const hour = 3_600_000;

test("where nothing stirred, nothing waits", async () => {
  await createQuiet(hour).wait();
});

test("what waits for quiet goes on when it is wanted, and so does what comes after it", async () => {
  const quiet = createQuiet(hour);
  const done: number[] = [];
  quiet.stir();
  const waiting = [1, 2].map((one) => quiet.wait().then(() => done.push(one)));
  await new Promise(setImmediate);
  assert.deepEqual(done, []);
  quiet.hurry();
  await Promise.all(waiting);
  await quiet.wait();
  assert.deepEqual(done, [1, 2]);
});

test("it is quiet some time after the last stir", async () => {
  const quiet = createQuiet(1);
  quiet.stir();
  const keepsAlive = setInterval(() => undefined, hour);
  await quiet.wait();
  clearInterval(keepsAlive);
});
