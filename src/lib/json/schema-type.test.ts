import assert from "node:assert/strict";
import { test } from "node:test";
import { renderSchemaType } from "./schema-type.ts";

test("an object's properties become members with their optional marks and comments", () => {
  const schema = {
    type: "object",
    properties: {
      path: { type: "string", description: "Where to read." },
      "max-lines": { type: ["integer", "null"] },
      tags: { type: "array", items: { enum: ["a", "b"] } },
    },
    required: ["path"],
  };
  assert.equal(
    renderSchemaType(schema, {
      comment: ({ description: text }) => (text ? `/** ${text} */` : ""),
    }),
    '{\n  /** Where to read. */\n  path: string;\n  "max-lines"?: number | null;\n  tags?: ("a" | "b")[];\n}',
  );
});

test("references are written out and a type that contains itself ends", () => {
  const schema = {
    $ref: "#/$defs/node",
    $defs: {
      node: {
        type: "object",
        properties: { next: { $ref: "#/$defs/node" }, at: { type: "number" } },
      },
    },
  };
  assert.equal(renderSchemaType(schema), "{\n  next?: unknown;\n  at?: number;\n}");
});

test("alternatives become unions and parts become intersections", () => {
  assert.equal(
    renderSchemaType({ oneOf: [{ type: "string" }, { type: "number" }, { const: null }] }),
    "string | number | null",
  );
  assert.equal(
    renderSchemaType({
      allOf: [
        { type: "object", properties: { a: {} } },
        { anyOf: [{ type: "string" }, { const: 1 }] },
      ],
    }),
    "{\n  a?: unknown;\n} & (string | 1)",
  );
  assert.equal(
    renderSchemaType({ type: "object", additionalProperties: { type: "number" } }),
    "Record<string, number>",
  );
  assert.equal(renderSchemaType({ prefixItems: [{ type: "string" }, {}] }), "[string, unknown]");
  assert.equal(renderSchemaType({ anyOf: [{}, { type: "string" }] }), "unknown");
  assert.equal(renderSchemaType(false), "never");
});
