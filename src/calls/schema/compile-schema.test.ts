import "../../lib/text/linear-pattern.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import fc from "fast-check";
import { cases } from "../../../test/fixtures/tier.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { checkSchema } from "../schema-check.ts";

const types = fc.constantFrom("string", "number", "integer", "boolean", "object", "array", "null");
const small = fc.integer({ min: -3, max: 3 });
const plain = fc.oneof(
  small,
  fc.constantFrom("a", "bb", "2020-01-01", "a@b.cc", "http://a.b/c", null, true),
);
const value = fc
  .oneof(
    plain,
    fc.array(fc.oneof(plain, fc.constantFrom({ a: 1 }, [1])), { maxLength: 4 }),
    fc.dictionary(
      fc.constantFrom("a", "b", "c", "d"),
      fc.oneof(plain, fc.array(small), fc.constantFrom({ a: 1 }, {})),
    ),
  )
  .map((one) => structuredClone(one)) as fc.Arbitrary<Json>;
const leaf = fc.oneof(
  fc.record({ type: types }),
  fc.record({ type: fc.uniqueArray(types, { minLength: 1, maxLength: 3 }) }),
  fc.record({ enum: fc.array(value, { minLength: 1, maxLength: 3 }) }),
  fc.record({ const: value }),
  fc.record({ minLength: fc.nat(3), maxLength: fc.nat(3) }, { requiredKeys: [] }),
  fc.record(
    { minimum: small, exclusiveMaximum: small, multipleOf: fc.constantFrom(1, 2) },
    { requiredKeys: [] },
  ),
  fc.record({ pattern: fc.constantFrom("^a", "b$", "^[a-z]+$", "(a|b)+", "^(a+)+$") }),
  fc.record({
    format: fc.constantFrom(
      "date",
      "email",
      "uri",
      "ipv4",
      "regex",
      "date-time",
      "uuid",
      "hostname",
    ),
  }),
  fc.record(
    { uniqueItems: fc.boolean(), minItems: fc.nat(2), maxItems: fc.nat(2) },
    { requiredKeys: [] },
  ),
  fc.record(
    { required: fc.constantFrom(["a"], ["a", "b"]), maxProperties: fc.nat(2) },
    { requiredKeys: [] },
  ),
  fc.record({ $ref: fc.constantFrom("#/$defs/d", "#x") }),
  fc.record({ dependentRequired: fc.constant({ a: ["b"] }) }),
  fc.boolean(),
);
const { schema } = fc.letrec((tie) => {
  const one = tie("schema");
  const list = fc.array(one, { minLength: 1, maxLength: 3 });
  const map = fc.dictionary(fc.constantFrom("a", "b", "^c"), one, { maxKeys: 2 });
  const some = (fields: Record<string, fc.Arbitrary<unknown>>) =>
    fc.record(fields, { requiredKeys: [] });
  return {
    schema: fc.oneof(
      { maxDepth: 4 },
      leaf,
      some({ properties: map, patternProperties: map, additionalProperties: one }),
      some({ prefixItems: list, items: one }),
      some({ allOf: list, anyOf: list, oneOf: list, not: one }),
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      some({ if: one, then: one, else: one }),
      some({ propertyNames: one, dependentSchemas: map }),
    ),
  };
});

const options = {
  strict: false,
  meta: false,
  validateSchema: false,
  allErrors: true,
  logger: false,
} as const;

/** Undefined where the other validator breaks. */
function verdictOf(document: JsonObject): ((value: Json) => boolean | undefined) | undefined {
  try {
    const validate = formats.default(new Ajv2020(options)).compile(document);
    return (one) => {
      try {
        return validate(one) as boolean;
      } catch {
        return undefined;
      }
    };
  } catch {
    return undefined;
  }
}

test("a value fits a schema exactly if it does for another validator", () => {
  const samples = fc.array(value, { minLength: 5, maxLength: 10 });
  fc.assert(
    fc.property(schema, leaf, samples, (drawn, definition, values) => {
      const $ref = typeof definition === "object" && "$ref" in definition;
      const $defs = { d: $ref ? true : definition, e: { $anchor: "x", type: "object" } };
      const document = { ...(typeof drawn === "object" ? drawn : {}), $defs } as JsonObject;
      const expected = verdictOf(document);
      for (const one of values) {
        const fits = expected?.(one);
        if (fits === undefined) continue;
        assert.equal(
          checkSchema(document, one).length === 0,
          fits,
          `${JSON.stringify(document)} ${JSON.stringify(one)}`,
        );
      }
    }),
    { numRuns: cases(100) },
  );
});

test("what no other part of the schema has looked at is unevaluated", () => {
  const branch = {
    anyOf: [
      { properties: { a: { type: "string" } }, required: ["a"] },
      { properties: { b: true } },
    ],
  };
  const object = {
    $defs: { c: { properties: { c: true } } },
    $ref: "#/$defs/c",
    ...branch,
    unevaluatedProperties: false,
  };
  assert.deepEqual(checkSchema(object, { a: "x", b: 1, c: 1 }), []);
  assert.equal(checkSchema(object, { a: 1, c: 1 }).length, 1);
  assert.equal(checkSchema(object, { d: 1 }).length, 1);
  const list = {
    prefixItems: [true],
    anyOf: [{ items: { type: "number" } }, {}],
    unevaluatedItems: { type: "string" },
  };
  assert.deepEqual(checkSchema(list, [3, 1, 2]), []);
  assert.deepEqual(checkSchema(list, [1, "x"]), []);
  assert.equal(checkSchema(list, [1, 2, "x"]).length, 1);
});

test("an empty list contains nothing, and a range counts", () => {
  const contains = { contains: { type: "string" } };
  assert.equal(checkSchema(contains, []).length, 1);
  assert.deepEqual(checkSchema({ ...contains, minContains: 0 }, []), []);
  assert.equal(checkSchema({ ...contains, maxContains: 1 }, ["a", "b"]).length, 1);
  assert.deepEqual(checkSchema(contains, [1, "a"]), []);
});

test("a list of schemas that is none, or is empty, asks for nothing", () => {
  for (const keyword of ["allOf", "anyOf", "oneOf"])
    for (const given of [{}, [], null, "text"])
      assert.deepEqual(checkSchema({ [keyword]: given }, { a: 1 }), [], keyword);
});
