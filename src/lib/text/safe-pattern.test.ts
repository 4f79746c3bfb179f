import "./linear-pattern.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { createMatcher } from "./matcher.ts";
import { createSafePattern } from "./safe-pattern.ts";

test("the engine that goes back is not asked where it might start again at each character", () => {
  for (const pattern of ["a+b", "a*b", "a{1,}b", "a{0,60}b+", "^a*a*b", "^a+a+b"])
    for (const length of [2_000, 10_000, 100_000])
      assert.equal(
        createSafePattern(pattern)?.steps(length),
        Number.POSITIVE_INFINITY,
        `${pattern} ${length}`,
      );
  assert.equal(createSafePattern("^a+b")?.test("a".repeat(10_000)), false);
});

test("both engines find the same where both may be asked", () => {
  for (const pattern of [
    "^[a-z]+(-[a-z]+)*$",
    "\\bab\\b",
    "^\\u0041",
    "(x|y){2,3}$",
    "^[^/]+/[^/]+$",
    "^\\S+@\\S+$",
  ])
    for (const text of ["a-b", "ab ab", "A", "xyx", "a/b", "a@b", "", "-"]) {
      const long = createMatcher(`(?:${pattern}){1}`);
      assert.equal(long?.test(text), new RegExp(pattern).test(text), `${pattern} ${text}`);
    }
});
