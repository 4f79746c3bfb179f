import assert from "node:assert/strict";
import { test } from "node:test";
import { listOrEmpty, objectOrEmpty, stringOrEmpty, stringOrNull, textOrJson } from "./json.ts";

const strange = [undefined, null, 1, true, Symbol("name")];

test("what is no object, list or text is empty, and what is one stays the same", () => {
  const object = { a: 1 };
  const list = [1];
  assert.equal(objectOrEmpty(object), object);
  assert.equal(listOrEmpty(list), list);
  assert.deepEqual([stringOrNull("a"), stringOrEmpty("a")], ["a", "a"]);
  for (const value of strange) {
    assert.deepEqual([objectOrEmpty(value), listOrEmpty(value)], [{}, []]);
    assert.deepEqual([stringOrNull(value), stringOrEmpty(value)], [null, ""]);
  }
  assert.deepEqual([objectOrEmpty(list), listOrEmpty(object)], [{}, []]);
});

test("a text is written as it is, anything else as JSON", () => {
  assert.equal(textOrJson('a "b"'), 'a "b"');
  assert.equal(textOrJson({ a: [1] }), '{"a":[1]}');
});
