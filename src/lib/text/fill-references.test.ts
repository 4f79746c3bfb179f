import assert from "node:assert/strict";
import { test } from "node:test";
import { fillReferences, referencesIn, valueAtPath } from "./fill-references.ts";

const known = { input: { city: "Rome", days: [1, 2] }, steps: { look: { result: { n: 7 } } } };
const fill = (value: unknown) => fillReferences(value, (path) => valueAtPath(known, path));

test("a text that is one reference becomes the value, and inside a text it is written out", () => {
  assert.deepEqual(
    fill({ a: "${steps.look.result.n}", b: ["to ${input.city}: ${input.days}"], c: 1 }),
    {
      a: 7,
      b: ["to Rome: [1,2]"],
      c: 1,
    },
  );
  assert.equal(fill("${input.days.1}"), 2);
});

test("what has another form is no reference", () => {
  assert.equal(fill("${HOME} ${} $input.city"), "${HOME} ${} $input.city");
  assert.deepEqual(referencesIn({ a: ["${input.city} ${input.city}"], b: "${HOME}" }), [
    ["input", "city"],
  ]);
});

test("nothing is found on the way of the language", () => {
  assert.equal(fill("${input.constructor}"), undefined);
  assert.equal(valueAtPath("text", ["length"]), undefined);
});
