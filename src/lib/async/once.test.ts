import assert from "node:assert/strict";
import { test } from "node:test";
import { once } from "./once.ts";

test("a value is made when it is first asked for, and only then", () => {
  let made = 0;
  const value = once(() => ++made);
  assert.deepEqual([value.made(), made], [false, 0]);
  assert.deepEqual([value(), value(), value.made(), made], [1, 1, true, 1]);
});

test("undefined is a value like any other", () => {
  let made = 0;
  const value = once(() => {
    made += 1;
  });
  assert.deepEqual([value(), value(), made], [undefined, undefined, 1]);
});

test("what could not be made is tried again", () => {
  let tries = 0;
  const value = once(() => {
    tries += 1;
    if (tries === 1) throw new Error("not yet");
    return tries;
  });
  assert.throws(value, /not yet/);
  assert.equal(value.made(), false);
  assert.equal(value(), 2);
});

test("a promise that was rejected is made again, and all that ask before share it", async () => {
  let tries = 0;
  const value = once(async () => {
    tries += 1;
    if (tries === 1) throw new Error("not yet");
    return tries;
  });
  const both = [value(), value()];
  for (const one of both) await assert.rejects(one, /not yet/);
  assert.deepEqual([value.made(), tries], [false, 1]);
  assert.deepEqual([await value(), await value()], [2, 2]);
});

test("what costs something to try is not tried again before its time", async (context) => {
  let now = 1_000;
  context.mock.method(performance, "now", () => now);
  let tries = 0;
  const value = once(() => Promise.reject(new Error(`try ${++tries}`)), 500);
  await assert.rejects(value(), /try 1/);
  now += 499;
  await assert.rejects(value(), /try 1/);
  now += 1;
  await assert.rejects(value(), /try 2/);
});
