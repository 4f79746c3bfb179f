import assert from "node:assert/strict";
import { test } from "node:test";
import { checkValue } from "../../workbench/src/parts/schema-form/check-value.ts";

const place = {
  type: "object",
  properties: { city: { type: "string", minLength: 2 } },
  required: ["city"],
};
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
  assert.deepEqual(
    wrongIn({ count: 1, colour: "red", either: null, places: [{ city: "Bern" }] }),
    [],
  );
  assert.deepEqual(wrongIn({}), ["count is required"]);
  assert.deepEqual(wrongIn({ count: 1.5 }), ["count must be integer"]);
  assert.deepEqual(wrongIn({ count: 0 }), ["count must be at least 1"]);
  assert.deepEqual(wrongIn({ count: 1, colour: "blue" }), ['colour must be one of "red", "green"']);
  assert.deepEqual(wrongIn({ count: 1, places: [{}, { city: "B" }] }), [
    "places.0.city is required",
    "places.1.city must be at least 2 long",
  ]);
  assert.deepEqual(wrongIn({ count: 1, either: 3 }), ["either matches none of the choices"]);
});

test("what was meant is checked: the choice, the condition, the field that another one needs, each place of a list", () => {
  const kind = (name: string, property: object) => ({
    type: "object",
    required: ["kind", "of"],
    properties: { kind: { const: name }, of: property },
  });
  const rules = {
    properties: {
      pay: { oneOf: [kind("card", { type: "string" }), kind("cash", { type: "integer" })] },
      point: {
        items: [{ type: "number" }, { type: "string" }],
        additionalItems: { type: "boolean" },
      },
      note: { type: "string", nullable: true },
      day: { type: "string", format: "date" },
      more: { type: "object", additionalProperties: { type: "number" } },
    },
    dependencies: { day: ["note"] },
    if: { required: ["point"] },
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
    then: { required: ["pay"] },
  };
  const wrong = (value: unknown) =>
    checkValue(rules, value).map(({ path, message }) => `${path.join(".")} ${message}`);
  assert.deepEqual(wrong({ pay: { kind: "cash", of: "x" } }), ["pay.of must be integer"]);
  assert.deepEqual(wrong({ pay: { kind: "cash" } }), ["pay.of is required"]);
  assert.deepEqual(wrong({ pay: {} }), ["pay matches none of the choices"]);
  assert.deepEqual(wrong({ point: [1, 2, 3] }), [
    "pay is required",
    "point.1 must be string",
    "point.2 must be boolean",
  ]);
  assert.deepEqual(wrong({ note: null }), []);
  assert.deepEqual(wrong({ day: "1.2.2026" }), [
    "note is required",
    "day must be written like 2026-01-31",
  ]);
  assert.deepEqual(wrong({ more: { a: "1" } }), ["more.a must be number"]);
});

test("fields that are called like what every object has are checked, too", () => {
  const odd = {
    required: ["constructor"],
    properties: { constructor: { type: "string" }, toString: { type: "string" } },
  };
  assert.deepEqual(checkValue(odd, {}), [{ path: ["constructor"], message: "is required" }]);
  assert.deepEqual(checkValue(odd, { constructor: "a" }), []);
});

test("references that lead in a circle, elsewhere or nowhere say nothing", () => {
  const circle = {
    $ref: "#/$defs/a",
    $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } },
  };
  for (const odd of [
    circle,
    { $ref: "https://example.org/schema" },
    { $ref: "#/none" },
    true,
    null,
  ])
    assert.deepEqual(checkValue(odd, { any: "thing" }), []);
});
