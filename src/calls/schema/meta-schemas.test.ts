import "../../lib/text/linear-pattern.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { Json } from "../../model/json.ts";
import { checkSchema } from "../schema-check.ts";

const values: Json[] = [
  true,
  false,
  {},
  [],
  "text",
  7,
  null,
  { type: "string" },
  { type: "text" },
  { type: ["string", "null"] },
  { type: [] },
  { properties: { a: { type: "number" } } },
  { properties: { a: { properties: { b: { type: "nothing" } } } } },
  { properties: [] },
  { items: { type: "string" } },
  { items: [{ type: "string" }] },
  { items: [{ type: 1 }] },
  { prefixItems: [{ type: "string" }] },
  { prefixItems: [] },
  { allOf: [] },
  { anyOf: [{ minimum: 1 }, { minimum: "1" }] },
  { not: { not: { not: 3 } } },
  { minLength: -1 },
  { minLength: 1.5 },
  { multipleOf: 0 },
  { required: ["a", "a"] },
  { required: ["a"] },
  { enum: [1, 2] },
  { enum: [] },
  { const: null },
  { $ref: "#/definitions/a", definitions: { a: { type: "object" } } },
  { definitions: { a: 3 } },
  { $defs: { a: { type: "integer" } } },
  { $defs: { a: 3 } },
  { $anchor: "1a" },
  { $id: "a#b" },
  { dependencies: { a: ["b"], c: { type: "string" } } },
  { dependencies: { a: [1] } },
  { dependentRequired: { a: [1] } },
  { dependentSchemas: { a: 1 } },
  { unevaluatedProperties: false, unevaluatedItems: 3 },
  { minContains: -1 },
  { deprecated: "yes" },
  { contentSchema: { type: "other" } },
  { $recursiveAnchor: true },
  { $dynamicRef: 1 },
  { title: 1 },
  { examples: 1 },
  { unknown: 1 },
];

const options = { strict: false, validateFormats: false, logger: false } as const;
const drafts = [
  ["http://json-schema.org/draft-07/schema#", new Ajv(options)],
  ["http://json-schema.org/draft-07/schema", new Ajv(options)],
  ["https://json-schema.org/draft/2019-09/schema", new Ajv2019(options)],
  ["https://json-schema.org/draft/2020-12/schema", new Ajv2020(options)],
  ["https://json-schema.org/draft/2020-12/meta/applicator", new Ajv2020(options)],
  ["https://json-schema.org/draft/2020-12/meta/validation", new Ajv2020(options)],
] as const;

for (const [address, ajv] of drafts)
  test(`what fits ${address} is what fits it for another validator`, () => {
    const document = { type: "object", properties: { schema: { $ref: address } } };
    const validate = ajv.compile(document);
    for (const schema of values)
      assert.equal(
        checkSchema(document, { schema }).length === 0,
        validate({ schema }),
        JSON.stringify(schema),
      );
  });

test("a part of a meta-schema can be referred to", () => {
  const $ref = "https://json-schema.org/draft/2020-12/schema#/properties/minLength";
  assert.equal(checkSchema({ $ref }, -1).length, 1);
  assert.deepEqual(checkSchema({ $ref }, 3), []);
});

test("a reference to any other document is left unchecked and told, and never fetched", () => {
  const warnings: string[] = [];
  const $ref = "https://example.com/address.json";
  const properties = { address: { $ref }, name: { type: "string" } };
  assert.deepEqual(checkSchema({ properties }, { address: 1, name: "x" }, warnings), []);
  assert.match(warnings.join(), /reference .*address.json.* was not checked: .* none is fetched/);
  assert.equal(checkSchema({ properties }, { address: 1, name: 2 }).length, 1);
  const closed = { allOf: [{ $ref }], unevaluatedProperties: false };
  assert.deepEqual(checkSchema(closed, { street: "x" }), []);
});
