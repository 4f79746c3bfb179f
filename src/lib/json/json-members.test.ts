import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { changeMembers, memberText } from "./json-members.ts";

test("members are changed, left out and added, and all others stay as they are written", () => {
  const text = '{ "a" : 1e400 , "b":{"x":[-0, "}\\""]}, "c" : "old","d":9007199254740993 }';
  const changed = changeMembers(text, {
    b: () => undefined,
    c: (before) => `[${before}]`,
    e: (before) => (before === undefined ? "true" : before),
    f: () => undefined,
  });
  assert.equal(changed, '{"a":1e400,"c":["old"],"d":9007199254740993,"e":true}');
});

test("a member that stands there twice is the last one, as JSON.parse reads it", () => {
  const text = '{"a":1,"\\u0061":2,"b":3}';
  assert.equal(memberText(text, "a"), "2");
  assert.equal(changeMembers(text, { a: (before) => `${before}0` }), '{"\\u0061":20,"b":3}');
});

test("an object without members gets some", () => {
  assert.equal(changeMembers("{}", { a: () => "1" }), '{"a":1}');
  assert.equal(changeMembers("{ }", { a: () => undefined }), "{}");
});

test("whatever stands in an object, each member is found as it is written", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      for (const [key, inner] of Object.entries(value))
        assert.deepEqual(
          JSON.parse(memberText(text, key) ?? ""),
          JSON.parse(JSON.stringify(inner)),
        );
      assert.deepEqual(JSON.parse(changeMembers(text, {})), JSON.parse(text));
    }),
  );
});
