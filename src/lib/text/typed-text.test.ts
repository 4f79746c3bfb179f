import assert from "node:assert/strict";
import { test } from "node:test";
import { typedMembers, typedText } from "./typed-text.ts";

const optional = { anyOf: [{ type: "integer" }, { type: "null" }] };

test("text becomes the value that the schema asks for, where it is exactly one", () => {
  const cases: [text: string, schema: object, value: unknown][] = [
    ["5", { type: "integer" }, 5],
    ["-1.5e3", { type: "number" }, -1500],
    ["true", { type: "boolean" }, true],
    ["null", { type: "null" }, null],
    ["[1,2]", { type: "array" }, [1, 2]],
    ['{"a":1}', { type: "object" }, { a: 1 }],
    ["5", { type: ["integer", "null"] }, 5],
    ["null", optional, null],
    ["2", { enum: [1, 2] }, 2],
    ["7", { const: 7 }, 7],
  ];
  for (const [text, schema, value] of cases) assert.deepEqual(typedText(text, schema), value, text);
});

test("text stays text where it may be meant as text or is not one value of the type", () => {
  const cases: [text: string, schema: unknown][] = [
    ["5", { type: "string" }],
    ["5", { type: ["integer", "string"] }],
    ["5", { anyOf: [{ type: "integer" }, { type: "string" }] }],
    ["5", { anyOf: [{ type: "integer" }, {}] }],
    ["5", {}],
    ["5", undefined],
    ["5", true],
    ["5.5", { type: "integer" }],
    ["5 ", { type: "integer" }],
    ["", { type: "integer" }],
    ["yes", { type: "boolean" }],
    ["05", { type: "integer" }],
    ["0x10", { type: "integer" }],
    ["1, 2", { type: "array" }],
    ["[1]", { type: "object" }],
    ["12345678901234567890", { type: "integer" }],
    ["2", { enum: [1, "2"] }],
  ];
  for (const [text, schema] of cases)
    assert.equal(typedText(text, schema), text, JSON.stringify(schema));
});

test("references inside the schema are followed, and a circle ends", () => {
  const root = {
    properties: {
      size: { $ref: "#/$defs/Size" },
      loop: { $ref: "#/properties/loop" },
      name: { type: "string" },
    },
    $defs: { Size: { type: "integer" } },
  };
  const given = { size: "3", loop: "4", name: "5", other: "6", already: 7 };
  assert.deepEqual(typedMembers(given, Object.keys(given), root), { ...given, size: 3 });
  assert.deepEqual(typedMembers({ size: "3" }, [], root), { size: "3" });
});
