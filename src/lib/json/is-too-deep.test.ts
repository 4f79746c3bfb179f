import assert from "node:assert/strict";
import { test } from "node:test";
import { isTooDeep } from "./exact-numbers.ts";

function nested(depth: number): unknown {
  return JSON.parse("[".repeat(depth) + "]".repeat(depth));
}

test("what people write is not too deep, and what would overflow a stack is", () => {
  assert.equal(isTooDeep({ a: [{ b: "c" }], d: null }), false);
  assert.equal(isTooDeep("text"), false);
  assert.equal(isTooDeep(nested(500)), false);
  assert.equal(isTooDeep(nested(100_000)), true);
});
