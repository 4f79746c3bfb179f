import assert from "node:assert/strict";
import { test } from "node:test";
import { madeInOrder } from "./made-in-order.ts";

test("a field is read once it is made, and an early read names it", () => {
  const made = madeInOrder<{ first: number; second: () => number }>(["first", "second"]);
  made.second = () => made.first;
  assert.throws(made.second, /'first' is used before it is made/);
  made.first = 1;
  assert.equal(made.second(), 1);
});
