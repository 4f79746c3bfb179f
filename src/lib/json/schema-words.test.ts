import assert from "node:assert/strict";
import { test } from "node:test";
import { renderArgumentType, renderSignature } from "./schema-words.ts";

const text = { type: "string" };

const cases: [title: string, schema: Record<string, unknown>, words: string][] = [
  ["nothing", { type: "object", properties: {} }, "no arguments"],
  [
    "arguments with their types",
    { properties: { name: text, count: { type: ["integer", "null"] } }, required: ["name"] },
    "name (string, required), count (integer | null)",
  ],
  [
    "a choice between two ways",
    {
      oneOf: [
        { properties: { id: text }, required: ["id"] },
        { properties: { url: text, depth: { type: "integer" } }, required: ["url"] },
      ],
    },
    "either id (string, required); or url (string, required), depth (integer)",
  ],
  [
    "arguments of which one is needed",
    { properties: { a: text, b: text }, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    "a (string), b (string), either a (required); or b (required)",
  ],
  [
    "references, also of the whole",
    {
      $ref: "#/$defs/Ask",
      $defs: { Ask: { properties: { who: { $ref: "#/$defs/Who" } } }, Who: text },
    },
    "who (string)",
  ],
  [
    "constants and choices",
    { properties: { version: { const: 2 }, kind: { enum: ["a", "b"] } } },
    'version (2), kind ("a" | "b")',
  ],
  [
    "parts",
    { allOf: [{ properties: { a: text } }, { properties: { b: text } }] },
    "a (string), b (string)",
  ],
];

for (const [title, schema, words] of cases) {
  test(`a schema says in one line: ${title}`, () => assert.equal(renderSignature(schema), words));
}

test("a schema that contains itself comes to an end", () => {
  const schema = { $ref: "#" };
  assert.equal(renderSignature(schema), "no arguments");
  const nested: Record<string, unknown> = {
    properties: { next: { anyOf: [{ $ref: "#" }, text] } },
  };
  assert.equal(
    renderArgumentType({ anyOf: [{ $ref: "#/properties/next" }] }, nested),
    "object | string",
  );
});
