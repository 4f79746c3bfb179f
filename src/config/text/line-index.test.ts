import assert from "node:assert/strict";
import { test } from "node:test";
import { createLineIndex } from "./document.ts";

for (const [name, end] of [
  ["LF", "\n"],
  ["CRLF", "\r\n"],
  ["CR", "\r"],
] as const) {
  test(`lines that end with ${name} are counted from 1`, () => {
    const text = ["a", "", "b"].join(end);
    const lineAt = createLineIndex(text);
    assert.deepEqual([0, text.indexOf("b"), text.length].map(lineAt), [1, 3, 3]);
  });
}

test("an empty text has one line", () => assert.equal(createLineIndex("")(0), 1));
