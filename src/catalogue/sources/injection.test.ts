import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { JsonObject } from "../../model/json.ts";
import { hideArguments } from "./injection.ts";

const text = { type: "string" };
const person = {
  type: "object",
  properties: { username: text, age: text },
  required: ["username", "age"],
};

const cases: [title: string, schema: JsonObject, shown: JsonObject][] = [
  [
    "a property and its place among the required ones",
    { type: "object", properties: { username: text, q: text }, required: ["username", "q"] },
    { type: "object", properties: { q: text }, required: ["q"] },
  ],
  [
    "in every part that a schema is put together from",
    {
      allOf: [{ properties: { username: text } }, { properties: { q: text } }],
      anyOf: [{ required: ["username"] }, { required: ["q"] }],
      oneOf: [{ properties: { username: text }, required: ["username"] }],
      if: { properties: { username: { const: "x" } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ["username", "q"] },
    },
    {
      allOf: [{ properties: {} }, { properties: { q: text } }],
      anyOf: [{ required: [] }, { required: ["q"] }],
      oneOf: [{ properties: {}, required: [] }],
      if: { properties: {} },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ["q"] },
    },
  ],
  [
    "among what depends on what",
    {
      properties: { username: text, q: text },
      dependentRequired: { q: ["username", "r"], username: ["q"] },
      dependentSchemas: { q: { required: ["username"] } },
      dependencies: { q: ["username"], r: { properties: { username: text } } },
    },
    {
      properties: { q: text },
      dependentRequired: { q: ["r"] },
      dependentSchemas: { q: { required: [] } },
      dependencies: { q: [], r: { properties: {} } },
    },
  ],
  [
    "in a definition where it stands for the arguments, and only there",
    {
      $ref: "#/$defs/person",
      $defs: { person },
      properties: { friend: { $ref: "#/$defs/person" } },
    },
    {
      $ref: "#/$defs/shown_1",
      $defs: { person, shown_1: { type: "object", properties: { age: text }, required: ["age"] } },
      properties: { friend: { $ref: "#/$defs/person" } },
    },
  ],
  [
    "with a definition that nothing else refers to",
    {
      allOf: [{ $ref: "#/definitions/a" }],
      definitions: { a: { $ref: "#/definitions/b" }, b: person },
    },
    {
      allOf: [{ $ref: "#/definitions/shown_1" }],
      definitions: {
        shown_1: { $ref: "#/definitions/shown_2" },
        shown_2: { type: "object", properties: { age: text }, required: ["age"] },
      },
    },
  ],
];

for (const [title, schema, shown] of cases) {
  test(`what only the system sets is hidden: ${title}`, () => {
    const before = structuredClone(schema);
    assert.deepEqual(hideArguments(schema, ["username", "other"]), {
      parameters: shown,
      injects: ["username"],
    });
    assert.deepEqual(schema, before, "what was listed is left as it is");
  });
}

test("what is deeper than the arguments has its own names", () => {
  const schema = {
    type: "object",
    properties: { who: person, list: { type: "array", items: person } },
    additionalProperties: person,
  };
  const { parameters, injects } = hideArguments(schema, ["username"]);
  assert.equal(parameters, schema);
  assert.deepEqual(injects, []);
});

test("definitions that lead to each other many times over are each looked at once", () => {
  const names = Array.from({ length: 40 }, (_, at) => `d${at}`);
  const $defs = Object.fromEntries(
    names.map((name, at) => {
      const $ref = `#/$defs/d${(at + 1) % names.length}`;
      return [name, { allOf: [{ $ref }, { $ref }], properties: { username: text, [name]: text } }];
    }),
  );
  const { parameters, injects } = hideArguments({ $ref: "#/$defs/d0", $defs }, ["username"]);
  assert.deepEqual(injects, ["username"]);
  assert.ok(!JSON.stringify(parameters).includes("username"));
});

test("references that lead in a circle, elsewhere or nowhere end the search", () => {
  for (const schema of [
    { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } },
    { $ref: "#" },
    { $ref: "https://example.org/schema" },
    { $ref: "#/$defs/__proto__", $defs: {} },
    { allOf: [{ $ref: "#" }] },
  ]) {
    assert.deepEqual(hideArguments(schema, ["username"]), { parameters: schema, injects: [] });
  }
});

/** Schemas put together from parts, in which some names are the system's. */
const names = fc.constantFrom("username", "_user", "q", "path");
const flat = {
  properties: fc.dictionary(names, fc.constant(text)),
  required: fc.uniqueArray(names),
  $ref: fc.constantFrom("#/$defs/a", "#/$defs/b", "#"),
};
const leaf = fc.record(flat, { requiredKeys: [] });
const anySchema = fc.record(
  {
    ...flat,
    allOf: fc.array(leaf, { maxLength: 2 }),
    anyOf: fc.array(leaf, { maxLength: 2 }),
    if: leaf,
    dependentSchemas: fc.dictionary(names, leaf, { maxKeys: 2 }),
  },
  { requiredKeys: [] },
);

test("whatever a schema is put together from, nothing of it is shown, and hiding twice is hiding once", () => {
  fc.assert(
    fc.property(anySchema, anySchema, anySchema, (root, a, b) => {
      const schema = { ...root, $defs: { a, b } } as unknown as JsonObject;
      const { parameters } = hideArguments(schema, ["username", "_user"]);
      assert.deepEqual(hideArguments(parameters, ["username", "_user"]).injects, []);
      assert.deepEqual(hideArguments(parameters, ["username", "_user"]).parameters, parameters);
    }),
    { numRuns: 300 },
  );
});
