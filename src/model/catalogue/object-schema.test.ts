import assert from "node:assert/strict";
import { test } from "node:test";
import { toObjectSchema } from "./tool-formats.ts";

const city = { type: "string" };
const zip = { type: "integer" };

test("a schema that is an object stays what it is, with properties even if it has none", () => {
  const schema = {
    type: "object",
    properties: { city },
    required: ["city"],
    additionalProperties: true,
  };
  assert.deepEqual(toObjectSchema(schema), schema);
  assert.deepEqual(toObjectSchema({ type: "object" }), { type: "object", properties: {} });
  assert.deepEqual(toObjectSchema({}), { type: "object", properties: {} });
});

test("of several objects all properties are reported, and as required what each of them requires", () => {
  const schema = {
    properties: { days: zip },
    oneOf: [
      { properties: { city, days: {} }, required: ["city", "days"] },
      { $ref: "#/$defs/Zip" },
    ],
    $defs: { Zip: { properties: { zip }, required: ["zip", "days"] } },
  };
  assert.deepEqual(toObjectSchema(schema), {
    type: "object",
    properties: { city, days: zip, zip },
    required: ["days"],
    $defs: schema.$defs,
  });
});

test("what all of several objects say is said together", () => {
  const schema = {
    type: "object",
    required: [],
    allOf: [{ properties: { city }, required: ["city"] }, { properties: { zip } }, true],
    not: { required: ["zip"] },
  };
  assert.deepEqual(toObjectSchema(schema), {
    type: "object",
    properties: { city, zip },
    required: ["city"],
  });
});

test("a reference at the top is followed where it leads to something", () => {
  const $defs = { Place: { type: "object", properties: { city }, required: ["city"] } };
  assert.deepEqual(toObjectSchema({ $ref: "#/$defs/Place", $defs }), {
    type: "object",
    properties: { city },
    required: ["city"],
    $defs,
  });
  assert.deepEqual(toObjectSchema({ $ref: "#/$defs/toString", $defs }).properties, {});
});
