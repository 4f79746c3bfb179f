import assert from "node:assert/strict";
import { test } from "node:test";
import { createLineIndex } from "./document.ts";

for (const [name, end] of [
  ["LF", "\n"],
  ["CRLF", "\r\n"],
  ["CR", "\r"],
] as const) {
  test(`lines that end with ${name} are counted from 1, and so are columns`, () => {
    const text = ["a", "", "bc"].join(end);
    const placeAt = createLineIndex(text);
    assert.deepEqual([0, text.indexOf("b"), text.indexOf("c")].map(placeAt), [
      { line: 1, column: 1 },
      { line: 3, column: 1 },
      { line: 3, column: 2 },
    ]);
  });
}

test("an empty text has one line", () =>
  assert.deepEqual(createLineIndex("")(0), { line: 1, column: 1 }));
