import assert from "node:assert/strict";
import { test } from "node:test";
import type { UnknownObject } from "../../../../src/model/json.ts";
import { fieldsOf, type SchemaField, typeOf } from "./schema-fields.ts";

const show = ({ name, type, needed, remarks }: SchemaField) =>
  `${name}${needed ? "!" : ""}: ${[type, ...remarks].join("; ")}`;
const shown = (schema: UnknownObject, inside = schema) => fieldsOf(inside, schema).map(show);
/** The fields of a field. */
function within(root: UnknownObject, ...names: string[]): string[] {
  let fields = fieldsOf(root, root);
  for (const name of names)
    fields = fieldsOf(fields.find((field) => field.name === name)?.schema, root);
  return fields.map(show);
}

test("an object in lists of lists is reached at once, with its choices, defaults and bounds", () => {
  const cell = {
    type: "object",
    required: ["kind"],
    properties: {
      kind: { enum: ["text", "sum"] },
      width: { type: "integer", minimum: 1, exclusiveMaximum: 100, default: 10, multipleOf: 2 },
      tags: {
        type: "array",
        minItems: 1,
        maxItems: 3,
        uniqueItems: true,
        items: { type: "string", maxLength: 5 },
      },
      fixed: { const: 7 },
    },
  };
  const root = { properties: { rows: { type: "array", items: { type: "array", items: cell } } } };
  assert.deepEqual(shown(root), ["rows: list of list of object"]);
  assert.deepEqual(within(root, "rows"), [
    "kind!: enum; one of text, sum",
    "width: integer; default 10; at least 1; less than 100; a multiple of 2",
    "tags: list of string; entries at least 1; entries at most 3; no entry twice",
    "fixed: constant; always 7",
  ]);
  assert.deepEqual(within(root, "rows", "tags"), ["each entry: string; length at most 5"]);
});

test("references are followed, and a schema that holds itself is opened level by level", () => {
  const root = {
    properties: {
      tree: { $ref: "#/$defs/node" },
      gone: { $ref: "#/$defs/none" },
      far: { $ref: "https://a.example" },
    },
    $defs: {
      node: {
        type: "object",
        properties: {
          name: { type: "string" },
          children: { type: "array", items: { $ref: "#/$defs/node" } },
        },
      },
    },
  };
  assert.deepEqual(shown(root), ["tree: node (object)", "gone: none", "far: a.example"]);
  const level = ["name: string", "children: list of node (object)"];
  assert.deepEqual(within(root, "tree"), level);
  assert.deepEqual(within(root, "tree", "children", "children", "children"), level);
  assert.deepEqual(within(root, "gone"), []);
});

test("shapes are listed unless they say nothing, and null is no shape", () => {
  const root = {
    properties: {
      plain: { anyOf: [{ type: "string" }, { type: "number" }] },
      maybe: {
        anyOf: [{ type: "object", properties: { a: { type: "string" } } }, { type: "null" }],
      },
      pay: {
        oneOf: [
          { title: "card", type: "object", properties: { number: { type: "string" } } },
          { type: "object", properties: { iban: { type: "string", pattern: "^DE" } } },
        ],
      },
      map: { type: "object", additionalProperties: { type: "integer", maximum: 3 } },
      pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] },
      both: {
        allOf: [
          { properties: { a: { type: "string" } } },
          { properties: { b: { type: "string" } } },
        ],
      },
    },
  };
  assert.deepEqual(shown(root), [
    "plain: string or number",
    "maybe: object or null",
    "pay: object",
    "map: object",
    "pair: list",
    "both: object",
  ]);
  assert.deepEqual(within(root, "plain"), []);
  assert.deepEqual(within(root, "maybe"), ["a: string"]);
  assert.deepEqual(within(root, "pay"), ["card: object", "shape 2: object"]);
  assert.deepEqual(within(root, "pay", "shape 2"), ["iban: string; like ^DE"]);
  assert.deepEqual(within(root, "map"), ["other names: integer; at most 3"]);
  assert.deepEqual(within(root, "pair"), ["entry 1: string", "entry 2: number"]);
  assert.deepEqual(within(root, "both"), ["a: string", "b: string"]);
});

/** Of servers that mean harm, or that were made by a program with a mistake. */
const hostile: [string, UnknownObject][] = [
  ["a reference to itself", { $ref: "#" }],
  ["two references in a circle", { $ref: "#/a", a: { $ref: "#/b" }, b: { $ref: "#/a" } }],
  ["allOf of itself", { allOf: [{ $ref: "#" }, { $ref: "#" }] }],
  [
    "allOf in a circle",
    { allOf: [{ $ref: "#/a" }], a: { allOf: [{ $ref: "#/b" }] }, b: { allOf: [{ $ref: "#/a" }] } },
  ],
  ["a list of itself", { type: "array", items: { $ref: "#" } }],
  ["a shape of itself", { anyOf: [{ $ref: "#" }, { type: "null" }] }],
  [
    "shapes that grow with every level",
    {
      anyOf: Array.from({ length: 50 }, () => ({ $ref: "#/a" })),
      a: { anyOf: Array.from({ length: 50 }, () => ({ $ref: "#/b" })) },
      b: { anyOf: Array.from({ length: 50 }, () => ({ $ref: "#" })) },
    },
  ],
  [
    "no schema where one belongs",
    { properties: { a: null, b: 7, c: [] }, items: "x", allOf: {}, required: "a" },
  ],
  ["a name that every object has", { properties: { a: { $ref: "#/constructor/prototype" } } }],
  ["a broken escape", { properties: { a: { $ref: "#/%E0%A4" } } }],
];

for (const [what, schema] of hostile)
  test(`it neither hangs nor fails: ${what}`, () => {
    for (const field of fieldsOf(schema, schema))
      assert.ok(fieldsOf(field.schema, schema).length <= 50);
    assert.ok(typeOf(schema, schema).length < 1_000);
  });

test("lists in lists without end are named as far as a person reads", () => {
  let schema: UnknownObject = { type: "string" };
  for (let level = 0; level < 5_000; level += 1) schema = { type: "array", items: schema };
  assert.equal(typeOf(schema, schema), "list of list of list of list of list of …");
  assert.deepEqual(shown(schema), ["each entry: list of list of list of list of list of …"]);
});
