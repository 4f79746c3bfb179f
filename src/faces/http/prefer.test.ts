import assert from "node:assert/strict";
import { test } from "node:test";
import { readWait } from "./prefer.ts";

const cases: [header: string | undefined, seconds: number | null][] = [
  ["wait=10", 10],
  ["respond-async, wait=5", 5],
  ['Wait = "7"; foo=1', 7],
  ["wait=0", 0],
  ["wait=-1", null],
  ["wait=soon", null],
  ["await=3", null],
  ["wait=123456", null],
  ["", null],
  [undefined, null],
];
for (const [header, seconds] of cases) {
  test(`a wish to wait is read from ${header === undefined ? "no header" : `'${header}'`}`, () => {
    assert.equal(readWait(header), seconds);
  });
}
