import assert from "node:assert/strict";
import { test } from "node:test";
import { checkValue } from "../../workbench/src/parts/schema-form/check-value.ts";

const place = { type: "object", properties: { city: { type: "string", minLength: 2 } }, required: ["city"] };
const schema = {
  type: "object",
  properties: {
    count: { type: "integer", minimum: 1 },
    colour: { enum: ["red", "green"] },
    places: { type: "array", items: { $ref: "#/$defs/place" } },
    either: { anyOf: [{ type: "string" }, { type: "null" }] },
  },
  required: ["count"],
  $defs: { place },
};
const wrongIn = (value: unknown) =>
  checkValue(schema, value).map(({ path, message }) => `${path.join(".")} ${message}`);

test("a form says what is missing, of another type, out of bounds or none of the choices", () => {
  assert.deepEqual(wrongIn({ count: 1, colour: "red", either: null, places: [{ city: "Bern" }] }), []);
  assert.deepEqual(wrongIn({}), ["count is required"]);
  assert.deepEqual(wrongIn({ count: 1.5 }), ["count must be integer"]);
  assert.deepEqual(wrongIn({ count: 0 }), ["count must be at least 1"]);
  assert.deepEqual(wrongIn({ count: 1, colour: "blue" }), ['colour must be one of "red", "green"']);
  assert.deepEqual(wrongIn({ count: 1, places: [{}, { city: "B" }] }), [
    "places.0.city is required",
    "places.1.city must be at least 2 long",
  ]);
  assert.deepEqual(wrongIn({ count: 1, either: 3 }), ["either matches none of the allowed schemas"]);
});

test("references that lead in a circle, elsewhere or nowhere say nothing", () => {
  const circle = { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } };
  for (const odd of [circle, { $ref: "https://example.org/schema" }, { $ref: "#/none" }, true, null])
    assert.deepEqual(checkValue(odd, { any: "thing" }), []);
});
