import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { hash, stableJson } from "./stable-json.ts";

/** The same value with the keys of every object the other way round. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, turned(inner)]),
  );
}

test("the order of keys does not change the text", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.equal(stableJson(turned(value)), stableJson(value));
      assert.equal(hash(turned(value)), hash(value));
    }),
  );
});

test("the text still says the whole value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.deepEqual(JSON.parse(stableJson(value)), JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("keys are sorted at every depth and lists are not", () => {
  assert.equal(stableJson({ b: [{ d: 1, c: 2 }, 1], a: null }), '{"a":null,"b":[{"c":2,"d":1},1]}');
});

test("what JSON has no word for counts as null", () => {
  assert.equal(stableJson(undefined), "null");
  assert.equal(
    stableJson(() => 1),
    "null",
  );
});

test("different values have different hashes of 64 hex digits", () => {
  assert.match(hash({ a: 1 }), /^[0-9a-f]{64}$/);
  assert.notEqual(hash({ a: 1 }), hash({ a: "1" }));
});
