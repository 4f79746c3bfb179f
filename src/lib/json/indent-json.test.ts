import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { indentJson } from "./render-json.ts";

test("JSON gets lines and keeps its values", () => {
  assert.equal(
    indentJson('{"a":[1,{"b":null}],"c":{},"d":[]}'),
    '{\n "a": [\n  1,\n  {\n   "b": null\n  }\n ],\n "c": {},\n "d": []\n}',
  );
  fc.assert(
    fc.property(fc.json(), (text) => {
      assert.deepEqual(JSON.parse(indentJson(text)), JSON.parse(text));
    }),
  );
});

test("numbers stay as they were written, however long", () => {
  assert.match(
    indentJson('{"id":12345678901234567890,"x":1.50}'),
    /12345678901234567890[\s\S]*1\.50/,
  );
});

test("brackets and quotes inside of texts are no brackets and quotes", () => {
  const text = '{"a":"{[,:\\"]}"}';
  assert.equal(indentJson(text), '{\n "a": "{[,:\\"]}"\n}');
});
