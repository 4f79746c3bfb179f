import assert from "node:assert/strict";
import { test } from "node:test";
import { createBoundedLabel } from "./bounded-label.ts";

test("beyond so many values the rest is counted together, and those known before stay what they are", () => {
  const labelOf = createBoundedLabel(2);
  assert.deepEqual(["a", "b", "c", "a", "d"].map(labelOf), ["a", "b", "other", "a", "other"]);
});
