import assert from "node:assert/strict";
import { test } from "node:test";
import { compareText } from "./wording.ts";

test("texts sort by their code units", () => {
  assert.deepEqual(["ä", "b", "B", "a"].sort(compareText), ["B", "a", "b", "ä"]);
  assert.equal(compareText("a", "a"), 0);
});
