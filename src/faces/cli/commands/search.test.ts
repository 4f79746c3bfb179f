import assert from "node:assert/strict";
import { test } from "node:test";
import { renderScore } from "./tools.ts";

test("a score is a small bar of one length and a number", () => {
  assert.deepEqual([0, 0.02, 0.5, 0.999, 1].map(renderScore), [
    "····· 0.00",
    "▏···· 0.02",
    "██▌·· 0.50",
    "█████ 1.00",
    "█████ 1.00",
  ]);
});
