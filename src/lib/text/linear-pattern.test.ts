import assert from "node:assert/strict";
import { test } from "node:test";
import { growthOf, maxGrowth } from "../../../test/samples/growth.ts";
import { createPatternSet, patternProblem } from "./linear-pattern.ts";

test("of many patterns those are reported that are found anywhere in a text", () => {
  const find = createPatternSet(["rm\\s+-rf", "^rm", "(?i)DROP table", "rm"]);
  assert.deepEqual([...find("sudo rm  -rf /")].sort(), [0, 3]);
  assert.deepEqual([...find("rm x")].sort(), [1, 3]);
  assert.deepEqual([...find("drop TABLE users")], [2]);
  assert.deepEqual([...find("")], []);
});

test("what is no pattern is reported as such", () => {
  for (const pattern of ["(", "[z-a]", "a{2,1}", "(?=a)", "\\1"])
    assert.ok(patternProblem(pattern), pattern);
  assert.equal(patternProblem("a|b"), null);
});

test("a pattern that others need for ever is looked for in a time that grows with the text", () => {
  const find = createPatternSet(["(a+)+$", "(a|aa)*b"]);
  const grown = growthOf((size) => void find(`${"a".repeat(size)}!`), 2_000);
  assert.ok(grown < maxGrowth, `eight times the text took ${grown} times as long`);
});
