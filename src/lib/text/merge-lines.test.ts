import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { mergeLines } from "./lines.ts";

const cases: [title: string, base: string, mine: string, theirs: string, merged: string | null][] =
  [
    ["one side alone", "a\nb\nc\n", "a\nB\nc\n", "a\nb\nc\n", "a\nB\nc\n"],
    ["different lines", "a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"],
    ["lines that went and lines that came", "a\nb\nc\nd", "a\nc\nd", "a\nb\nc\nx\nd", "a\nc\nx\nd"],
    ["the same change twice", "a\nb\n", "a\nc\n", "a\nc\n", "a\nc\n"],
    ["the same line in two ways", "a\nb\nc\n", "a\nx\nc\n", "a\ny\nc\n", null],
    ["an empty base", "", "", "new\n", "new\n"],
    ["the ends of lines of Windows", "a\r\nb\r\n", "a\r\n", "x\r\na\r\nb\r\n", "x\r\na\r\n"],
  ];

for (const [title, base, mine, theirs, merged] of cases) {
  test(`merging: ${title}`, () => {
    assert.equal(mergeLines(base, mine, theirs), merged);
    assert.equal(mergeLines(base, theirs, mine), merged);
  });
}

test("whatever the text: with one side unchanged the other is the result", () => {
  const text = fc.array(fc.constantFrom("a\n", "b\n", "c\n", "\n")).map((lines) => lines.join(""));
  fc.assert(
    fc.property(text, text, (base, other) => {
      assert.equal(mergeLines(base, base, other), other);
      assert.equal(mergeLines(base, other, base), other);
    }),
  );
});

test("texts of many different lines are not compared", () => {
  const lines = (letter: string) =>
    Array.from({ length: 3000 }, (_, at) => `${letter}${at}\n`).join("");
  assert.equal(mergeLines(lines("a"), lines("b"), "x\n"), null);
});
