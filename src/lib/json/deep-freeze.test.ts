import assert from "node:assert/strict";
import { test } from "node:test";
import { deepFreeze } from "./plain-data.ts";

test("nothing in the tree can be changed", () => {
  const tree = deepFreeze({ a: { b: [{ c: 1 }] }, n: null });
  assert.throws(() => Object.assign(tree.a.b[0] ?? {}, { c: 2 }), TypeError);
  assert.throws(() => tree.a.b.push({ c: 3 }), TypeError);
  assert.deepEqual(tree, { a: { b: [{ c: 1 }] }, n: null });
});

test("a tree that holds itself is frozen and ends", () => {
  const loop: { self?: unknown } = {};
  loop.self = loop;
  assert.ok(Object.isFrozen(deepFreeze(loop)));
});
