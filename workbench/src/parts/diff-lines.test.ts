import assert from "node:assert/strict";
import { test } from "node:test";
import { diffLines } from "./diff-lines.ts";

const shown = (before: string, after: string) =>
  diffLines(before, after).map(({ sign, text }) => `${sign}${text}`);

test("lines that stay are shown once, between those that went and those that came", () => {
  assert.deepEqual(shown("a\nb\nc", "a\nx\nc"), [" a", "−b", "+x", " c"]);
  assert.deepEqual(shown("a\nb\nc\nd", "b\nd\ne"), ["−a", " b", "−c", " d", "+e"]);
  assert.deepEqual(shown("", "new"), ["+new"]);
  assert.deepEqual(shown("old", ""), ["−old"]);
  assert.deepEqual(shown("same\nsame", "same"), [" same", "−same"]);
});

test("two long texts that have nothing in common are shown whole", () => {
  const many = (word: string) =>
    Array.from({ length: 2_000 }, (_, at) => `${word} ${at}`).join("\n");
  const lines = diffLines(`top\n${many("old")}`, `top\n${many("new")}`);
  assert.equal(lines.length, 4_001);
});
