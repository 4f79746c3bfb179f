import assert from "node:assert/strict";
import { test } from "node:test";
import { countOf, nounFor } from "./wording.ts";

test("one thing has the singular, any other number the plural", () => {
  assert.deepEqual(
    [0, 1, 2, 1_200].map((count) => countOf(count, "line")),
    ["0 lines", "1 line", "2 lines", "1,200 lines"],
  );
  assert.equal(countOf(2, "entry", "entries"), "2 entries");
  assert.equal(`1 of ${countOf(1, "tool")}`, "1 of 1 tool");
  assert.equal(nounFor(1, "is", "are"), "is");
});
