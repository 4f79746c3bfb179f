import assert from "node:assert/strict";
import { test } from "node:test";
import { cutDeep, cutDeepValue } from "./cut-deep.ts";

for (const [text, deepest, cut] of [
  ['{"a":{"b":[1,{"c":2}]},"d":3}', 2, '{"a":{"b":null},"d":3}'],
  ['{"a":{"b":[1,{"c":2}]},"d":[[],[[]]]}', 3, '{"a":{"b":[1,null]},"d":[[],[null]]}'],
  ['{"a":"[[[{\\"","b":[]}', 1, '{"a":"[[[{\\"","b":null}'],
  ["[1,2]", 1, "[1,2]"],
  ["7", 1, "7"],
] as const)
  test(`${text} cut below level ${deepest} is ${cut}`, () => {
    assert.equal(cutDeep(text, deepest), cut);
    assert.deepEqual(cutDeepValue(JSON.parse(text), deepest), JSON.parse(cut));
  });

test("a hundred thousand levels are cut", () => {
  const text = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)},"b":1}`;
  assert.equal(cutDeep(text, 2), '{"a":[null],"b":1}');
  assert.deepEqual(cutDeepValue(JSON.parse(text), 2), { a: [null], b: 1 });
});
