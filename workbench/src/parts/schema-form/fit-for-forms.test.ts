import assert from "node:assert/strict";
import { test } from "node:test";
import { anything, fitForForms } from "./fit-for-forms.ts";

const ofAnything = { type: "string", format: anything };

test("what may be anything, and a reference that leads nowhere, is a box for JSON", () => {
  const fitted = fitForForms({
    type: "object",
    properties: {
      free: {},
      all: true,
      told: { description: "Whatever you like" },
      gone: { $ref: "#/$defs/missing", title: "Gone" },
      far: { $ref: "https://example.org/schema.json" },
      own: { $ref: "#" },
      broken: { $ref: "#/%E0%A4%A" },
    },
  });
  assert.deepEqual(fitted.properties, {
    free: ofAnything,
    all: ofAnything,
    told: { description: "Whatever you like", ...ofAnything },
    gone: { title: "Gone", ...ofAnything },
    far: ofAnything,
    own: { $ref: "#" },
    broken: ofAnything,
  });
});

test("the only value that something may have is a choice", () => {
  const fitted = fitForForms({ properties: { kind: { const: "circle" }, none: { type: "null" } } });
  assert.deepEqual(fitted.properties, { kind: { enum: ["circle"] }, none: { enum: [null] } });
});

test("choices are named after what they are, unless they have a title", () => {
  const fitted = fitForForms({
    $defs: { point: { title: "Point", type: "object" }, plain: { type: "object", required: ["x", "y"] } },
    properties: {
      any: { anyOf: [{ type: "string" }, { type: "integer" }, { type: "null" }, { title: "Named" }] },
      at: { oneOf: [{ $ref: "#/$defs/point" }, { $ref: "#/$defs/plain" }] },
    },
    oneOf: [{ required: ["a"] }, { properties: { b: { type: "string" } } }],
  });
  const titles = (list: unknown) => (list as { title?: string }[]).map(({ title }) => title);
  const { any, at } = fitted.properties as Record<string, Record<string, unknown>>;
  assert.deepEqual(titles(any?.anyOf), ["string", "integer", "Named"]);
  assert.deepEqual(titles(at?.oneOf), [undefined, "with x, y"]);
  assert.deepEqual(titles(fitted.oneOf), ["with a", "with b"]);
});

test("a choice between X and null, as servers write an optional argument, is X alone", () => {
  const fitted = fitForForms({
    $defs: { point: { type: "object" } },
    properties: {
      note: { anyOf: [{ type: "string", format: "date" }, { type: "null" }], default: null, title: "Note" },
      count: { oneOf: [{ type: "integer", minimum: 1 }, { const: null }], default: 3 },
      at: { anyOf: [{ $ref: "#/$defs/point" }, { type: "null" }], description: "Where" },
    },
  });
  assert.deepEqual(fitted.properties, {
    note: { type: ["string", "null"], format: "date", title: "Note" },
    count: { type: ["integer", "null"], minimum: 1, default: 3 },
    at: { $ref: "#/$defs/point", description: "Where" },
  });
});

test("a choice between constants is one list with a type, without which there is no field", () => {
  const fitted = fitForForms({
    properties: {
      state: { anyOf: [{ type: "string", const: "open" }, { enum: ["closed"], title: "Closed" }, { type: "null" }] },
      level: { type: "integer", oneOf: [{ const: 1 }, { const: 2 }], description: "How loud" },
    },
  });
  assert.deepEqual(fitted.properties, {
    state: {
      type: "string",
      oneOf: [
        { const: "open", title: "open" },
        { const: "closed", title: "Closed" },
      ],
    },
    level: {
      type: "integer",
      description: "How loud",
      oneOf: [
        { const: 1, title: "1" },
        { const: 2, title: "2" },
      ],
    },
  });
});
