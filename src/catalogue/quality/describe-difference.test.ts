import assert from "node:assert/strict";
import { test } from "node:test";
import { describeDifference } from "./pin-verbs.ts";

test("every place that differs is reported, with what stood and what stands there", () => {
  const before = {
    description: "Reads.",
    inputSchema: { properties: { a: { type: "string" }, "b/c": {} } },
  };
  const after = {
    inputSchema: { properties: { a: { type: "number" }, d: { enum: ["x", "y"] } } },
    description: "Reads.\u200b",
  };
  assert.deepEqual(describeDifference(before, after), [
    { where: "/description", before: '"Reads."', after: '"Reads.⟨U+200B⟩"' },
    { where: "/inputSchema/properties/a/type", before: '"string"', after: '"number"' },
    { where: "/inputSchema/properties/b~1c", before: "{}", after: null },
    { where: "/inputSchema/properties/d/enum/0", before: null, after: '"x"' },
    { where: "/inputSchema/properties/d/enum/1", before: null, after: '"y"' },
  ]);
});

test("the order of keys is no difference, and what is not said is none either", () => {
  assert.deepEqual(describeDifference({ a: 1, b: 2, c: undefined }, { b: 2, a: 1 }), []);
});
