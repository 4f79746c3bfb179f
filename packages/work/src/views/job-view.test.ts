import assert from "node:assert/strict";
import { test } from "node:test";
import { renderRuns } from "./jobs.ts";

test("a job whose runs do not match is not told from one that never ran by mistake", () => {
  assert.equal(renderRuns([], false), "It has not run yet.");
  assert.equal(renderRuns([], true), "None of its runs matches.");
});
