import assert from "node:assert/strict";
import { test } from "node:test";
import { anythingFormat, bytesFormat, fitForForms, fixedFormat } from "./fit-for-forms.ts";

const ofAnything = { type: "string", format: anythingFormat };

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

test("a type that there is not, and what is nested too deeply, is a box for JSON", () => {
  let deep: object = { type: "string" };
  for (let depth = 0; depth < 100; depth += 1) deep = { type: "object", properties: { in: deep } };
  const fitted = fitForForms({
    properties: { odd: { type: "date", title: "Odd" }, none: { type: [] }, deep },
  });
  const { deep: kept, ...others } = fitted.properties as Record<string, unknown>;
  assert.deepEqual(others, { odd: { title: "Odd", ...ofAnything }, none: ofAnything });
  assert.match(JSON.stringify(kept), /toolplane-anything/);
  assert.ok(JSON.stringify(kept).length < 2_000);
});

test("what is no word of a schema is left out", () => {
  const odd = {
    type: "object",
    title: { a: 1 },
    description: 3,
    required: "x",
    enum: "y",
    properties: [],
    oneOf: {},
  };
  assert.deepEqual(fitForForms({ type: "object", properties: { odd, no: false } }).properties, {
    odd: { type: "object" },
  });
});

test("the only value that something may have is fixed", () => {
  const fitted = fitForForms({
    properties: {
      kind: { const: "circle" },
      one: { enum: [{ a: 1 }], title: "One" },
      none: { type: "null" },
    },
  });
  assert.deepEqual(fitted.properties, {
    kind: { type: "string", format: fixedFormat, const: "circle" },
    one: { title: "One", type: "string", format: fixedFormat, const: { a: 1 } },
    none: { type: "string", format: fixedFormat, const: null },
  });
});

test("bytes are chosen as a file", () => {
  const fitted = fitForForms({
    properties: {
      photo: { type: "string", contentEncoding: "base64" },
      scan: { type: "string", format: "byte" },
    },
  });
  assert.deepEqual(fitted.properties, {
    photo: { type: "string", contentEncoding: "base64", format: bytesFormat },
    scan: { type: "string", format: bytesFormat },
  });
});

test("choices are named after their title, what tells them apart, or what they take", () => {
  const kind = (name: string, more: object) => ({
    type: "object",
    properties: { kind: { const: name } },
    ...more,
  });
  const fitted = fitForForms({
    $defs: {
      point: { title: "Point", type: "object" },
      plain: { type: "object", required: ["x", "y"] },
    },
    properties: {
      any: {
        anyOf: [
          { type: "string" },
          { type: "integer" },
          { type: "array", items: { type: "number" } },
          { type: "array", items: { $ref: "#/$defs/point" } },
          { type: "array" },
          { enum: ["a", "b"] },
          { title: "Named" },
        ],
      },
      at: { oneOf: [{ $ref: "#/$defs/point" }, { $ref: "#/$defs/plain" }] },
      pay: {
        oneOf: [
          kind("card", {}),
          kind("cash", { title: " " }),
          kind("bank", { title: "Bank transfer" }),
        ],
      },
      several: { type: ["string", "boolean"] },
    },
    oneOf: [{ required: ["a"] }, { properties: { b: { type: "string" } } }],
  });
  const titles = (list: unknown) => (list as { title?: string }[]).map(({ title }) => title);
  const { any, at, pay, several } = fitted.properties as Record<string, Record<string, unknown>>;
  const lists = ["list of numbers", "list of objects", "list"];
  assert.deepEqual(titles(any?.anyOf), ["text", "whole number", ...lists, '"a", "b"', "Named"]);
  assert.deepEqual(titles(at?.oneOf), ["Point", "object with x, y"]);
  assert.deepEqual(titles(pay?.oneOf), ["card", "cash", "Bank transfer"]);
  assert.deepEqual(titles(several?.anyOf), ["text", "yes or no"]);
  assert.deepEqual(titles(fitted.oneOf), ["object with a", "object with b"]);
});

test("null is a mark beside what else a value may be", () => {
  const fitted = fitForForms({
    $defs: { point: { type: "object" } },
    properties: {
      note: {
        anyOf: [{ type: "string", format: "date" }, { type: "null" }],
        default: null,
        title: "Note",
      },
      count: { oneOf: [{ type: "integer", minimum: 1 }, { const: null }], default: 3 },
      at: { anyOf: [{ $ref: "#/$defs/point" }, { type: "null" }], description: "Where" },
      plain: { type: ["string", "null"] },
      size: { enum: ["s", "m", null] },
      old: { type: "integer", nullable: true },
      twice: { type: ["string", "null"], enum: ["s", "m", null], nullable: true, default: null },
    },
  });
  assert.deepEqual(fitted.properties, {
    note: { type: "string", format: "date", title: "Note", nullable: true },
    count: { type: "integer", minimum: 1, default: 3, nullable: true },
    at: { $ref: "#/$defs/point", description: "Where", nullable: true },
    plain: { type: "string", nullable: true },
    size: { enum: ["s", "m"], nullable: true },
    old: { type: "integer", nullable: true },
    twice: { type: "string", enum: ["s", "m"], nullable: true },
  });
});

test("words of newer drafts are written as the forms' library knows them", () => {
  const fitted = fitForForms({
    type: "object",
    properties: {
      point: { prefixItems: [{ type: "number" }, true], items: false },
      list: { type: "array" },
      map: { type: "object" },
    },
    dependentRequired: { a: ["b"] },
    dependentSchemas: { c: { required: ["d"] } },
  });
  assert.deepEqual(fitted.properties, {
    point: { type: "array", items: [{ type: "number" }, ofAnything], additionalItems: false },
    list: { type: "array", items: ofAnything },
    map: { type: "object", additionalProperties: ofAnything },
  });
  assert.deepEqual(fitted.dependencies, { a: ["b"], c: { type: "object", required: ["d"] } });
});

test("a choice between constants is one list with a type, without which there is no field", () => {
  const fitted = fitForForms({
    properties: {
      state: {
        anyOf: [
          { type: "string", const: "open" },
          { enum: ["closed"], title: "Closed" },
          { type: "null" },
        ],
      },
      level: { type: "integer", oneOf: [{ const: 1 }, { const: 2 }], description: "How loud" },
    },
  });
  assert.deepEqual(fitted.properties, {
    state: {
      type: "string",
      nullable: true,
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
