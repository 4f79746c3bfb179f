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
