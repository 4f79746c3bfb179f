import assert from "node:assert/strict";
import { test } from "node:test";
import { createLineKeys } from "./line-keys.ts";

test("lines before a change keep their keys, and those behind it get others each time", () => {
  const keys = createLineKeys();
  const all = () => [0, 5, 6, 9, 10, 20].map(keys.keyOf);
  const first = all();
  keys.changedBehind(5);
  const second = all();
  assert.deepEqual(second.slice(0, 2), first.slice(0, 2));
  keys.changedBehind(9);
  const third = all();
  assert.deepEqual(third.slice(0, 4), second.slice(0, 4));
  keys.changedBehind(5);
  const fourth = all();
  assert.deepEqual(fourth.slice(0, 2), first.slice(0, 2));
  const behind = [first, second, third, fourth].map((known) => known.at(-1));
  assert.equal(new Set(behind).size, behind.length);
});
