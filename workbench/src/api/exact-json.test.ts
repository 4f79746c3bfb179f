import assert from "node:assert/strict";
import { test } from "node:test";
import { ExactNumber, readJson } from "./exact-json.ts";

test("numbers with more digits than a browser counts with stay as they are written", () => {
  const text =
    '{"id":9007199254740993,"list":[1,0.10000000000000000555],"text":"9007199254740993"}';
  const value = readJson<{ id: unknown; list: unknown[] }>(text);
  assert.ok(value.id instanceof ExactNumber);
  assert.equal(String(value.id), "9007199254740993");
  assert.equal(value.list[0], 1);
  assert.equal(JSON.stringify(value), text);
});

test("other numbers are numbers", () => {
  assert.deepEqual(readJson('{"a":1.5,"b":9007199254740991,"c":-0.25}'), {
    a: 1.5,
    b: 9007199254740991,
    c: -0.25,
  });
  assert.throws(() => readJson("{"), SyntaxError);
});
