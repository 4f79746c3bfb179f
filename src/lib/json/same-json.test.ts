import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { sameJson } from "./plain-data.ts";

const copy = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;
/** Few values and keys, so that many trees are nearly the same. */
const tree = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, 0, 1, "", "a", "0"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "0", "toString"), tie("value"), {
      noNullPrototype: true,
    }),
  ),
})).value;

test("a tree is the same as its copy, and whatever else it is compared with as Node finds it", () => {
  fc.assert(
    fc.property(tree, tree, (one, other) => {
      assert.ok(sameJson(one, copy(one)));
      assert.equal(sameJson(one, other), isDeepStrictEqual(one, other));
    }),
    { numRuns: 500 },
  );
});

test("the order of keys does not count, the order of a list does", () => {
  assert.ok(sameJson({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 }));
  assert.ok(!sameJson([1, 2], [2, 1]));
});

test("a key more, a key less, or one without a value makes a difference", () => {
  assert.ok(!sameJson({ a: 1 }, { a: 1, b: 2 }));
  assert.ok(!sameJson({ a: 1, b: 2 }, { a: 1 }));
  assert.ok(!sameJson({ a: undefined }, { b: undefined }));
  assert.ok(!sameJson({ toString: undefined }, {}));
  assert.ok(!sameJson({}, []));
});
