import assert from "node:assert/strict";
import { test } from "node:test";
import { schemaProblem } from "./schema-problem.ts";

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

for (const [title, schema] of [
  ["nothing", {}],
  ["true", true],
  [
    "every type",
    object({
      a: { type: ["string", "null"] },
      b: { type: "integer" },
      c: { type: "array", items: {} },
    }),
  ],
  [
    "properties named like keywords",
    object({ type: { type: "string" }, pattern: { type: "string" }, $schema: {} }),
  ],
  [
    "definitions named like keywords",
    { $defs: { type: { type: "object" } }, definitions: { pattern: {} } },
  ],
  [
    "data that looks like a schema",
    object({ a: { default: { type: "any" }, enum: [{ type: "x" }], const: { type: "y" } } }),
  ],
  ["examples that look like a schema", { examples: [{ type: "any" }], example: { pattern: "(" } }],
  ["draft 07", { $schema: "http://json-schema.org/draft-07/schema#" }],
  ["2020-12", { $schema: "https://json-schema.org/draft/2020-12/schema" }],
  ["a pattern", object({ a: { pattern: "^[\\w-.]+$" } })],
  ["boolean schemas", object({ a: true, b: false }, { additionalProperties: false })],
  ["a property required by one named 'type'", { dependentRequired: { type: ["other"] } }],
  [
    "the same in the words of draft 07",
    { dependencies: { type: ["other"], pattern: { type: "object" } } },
  ],
  ["an unknown keyword", object({ a: { "x-widget": { type: "slider", pattern: "(" } } })],
  ["a keyword of OpenAPI", object({ a: { discriminator: { type: "kind" }, xml: { type: "x" } } })],
] as const) {
  test(`${title} is no problem`, () => assert.equal(schemaProblem(schema), null));
}

for (const [title, schema, problem] of [
  [
    "a type that is none",
    object({ a: { type: "any" } }),
    /^type "any" at \/properties\/a is not one of JSON Schema$/,
  ],
  ["one of several types", object({ a: { type: ["string", "date"] } }), /type "date"/],
  ["a type that is no text", object({ a: { type: 7 } }), /type 7/],
  [
    "a type in a list",
    { anyOf: [{ type: "object" }, { type: "struct" }] },
    /"struct" at \/anyOf\/1/,
  ],
  [
    "a type in the items",
    object({ a: { type: "array", items: { type: "str" } } }),
    /at \/properties\/a\/items/,
  ],
  ["a type in a definition", { $defs: { x: { type: "str" } } }, /at \/\$defs\/x/],
  [
    "a type in what else there is",
    { additionalProperties: { type: "str" } },
    /at \/additionalProperties/,
  ],
  [
    "a type below a property named like data",
    object({ default: { type: "str" } }),
    /at \/properties\/default/,
  ],
  ["a pattern that is none", object({ a: { pattern: "(" } }), /pattern "\(" at \/properties\/a/],
  ["a pattern of names that is none", { patternProperties: { "(": {} } }, /\(/],
  [
    "an unknown dialect",
    { $schema: "https://example.com/mine" },
    /dialect "https:\/\/example.com\/mine" is/,
  ],
] as const) {
  test(`${title} is named with its place`, () =>
    assert.match(schemaProblem(schema) ?? "", problem));
}

test("a schema nested too deeply is refused, and the stack does not overflow", () => {
  let deep: object = {};
  for (let level = 0; level < 100_000; level++) deep = { items: deep };
  assert.match(schemaProblem(deep) ?? "", /deeper than 64/);
  let unknown: object = {};
  for (let level = 0; level < 100_000; level++) unknown = { "x-anything": unknown };
  assert.match(schemaProblem(unknown) ?? "", /deeper than 64/);
});

test("a schema of too many parts is refused", () => {
  const wide = Object.fromEntries(
    Array.from({ length: 30_000 }, (_, at) => [`p${at}`, { type: "string" }]),
  );
  assert.match(schemaProblem(object(wide)) ?? "", /more than 20000 parts/);
});
