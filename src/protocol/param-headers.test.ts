import assert from "node:assert/strict";
import { test } from "node:test";
import { paramHeaders, readParamHeaders } from "./http-headers.ts";

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const mirrored = (header: unknown, type: unknown = "string") => ({ type, "x-mcp-header": header });

test("arguments that are to be mirrored become headers, at any depth", () => {
  const schema = object({
    region: mirrored("Region"),
    place: object({ zone: mirrored("Zone", "integer"), open: mirrored("Open", "boolean") }),
    plain: { type: "string" },
  });
  const args = { region: "Zürich", place: { zone: 7, open: false }, plain: "x" };
  assert.deepEqual(paramHeaders(schema, args), {
    "Mcp-Param-Region": "=?base64?WsO8cmljaA==?=",
    "Mcp-Param-Zone": "7",
    "Mcp-Param-Open": "false",
  });
});

test("what is not given, null or no plain value is left out", () => {
  const schema = object({
    a: mirrored("A"),
    b: mirrored("B"),
    c: mirrored("C"),
    d: object({ e: mirrored("E") }),
  });
  assert.deepEqual(paramHeaders(schema, { a: null, b: { x: 1 }, d: "text" }), {});
  for (const args of [undefined, null, "text", []])
    assert.deepEqual(paramHeaders(schema, args), {});
});

test("what every object has without being told is not an argument", () => {
  const schema = object({ constructor: mirrored("Made"), toString: mirrored("Text") });
  assert.deepEqual(paramHeaders(schema, {}), {});
});

test("a tool without such arguments, or without a schema, has no headers", () => {
  for (const schema of [undefined, null, true, {}, object({ a: { type: "string" } })]) {
    assert.deepEqual(readParamHeaders(schema), { mirrored: [], problem: null });
    assert.deepEqual(paramHeaders(schema, { a: "x" }), {});
  }
});

for (const [title, schema, problem] of [
  ["on the whole", { type: "object", "x-mcp-header": "X" }, /plain property/],
  ["in a list", object({ a: { type: "array", items: mirrored("X") } }), /plain property/],
  ["in an alternative", object({ a: { anyOf: [mirrored("X")] } }), /plain property/],
  [
    "below an alternative",
    object({ a: { anyOf: [object({ b: mirrored("X") })] } }),
    /plain property/,
  ],
  ["in a definition", object({}, { $defs: { a: mirrored("X") } }), /plain property/],
  ["that is no text", object({ a: mirrored(7) }), /name of a header/],
  ["that is empty", object({ a: mirrored("") }), /name of a header/],
  ["with a blank", object({ a: mirrored("My Region") }), /name of a header/],
  ["with a line break", object({ a: mirrored("X\r\nY") }), /name of a header/],
  ["on a number", object({ a: mirrored("X", "number") }), /text, whole number or boolean/],
  ["on an object", object({ a: mirrored("X", "object") }), /text, whole number or boolean/],
  [
    "on several types",
    object({ a: mirrored("X", ["string", "null"]) }),
    /text, whole number or boolean/,
  ],
  ["for the second time", object({ a: mirrored("X"), b: mirrored("x") }), /another argument/],
] as const) {
  test(`an annotation ${title} is a problem, and then nothing is mirrored`, () => {
    const read = readParamHeaders(schema);
    assert.match(read.problem ?? "", problem);
    assert.deepEqual(read.mirrored, []);
    assert.deepEqual(paramHeaders(schema, { a: "x", b: "y" }), {});
  });
}

test("the word as a name or as data is no annotation", () => {
  const schema = object({
    "x-mcp-header": { type: "string" },
    a: { type: "object", default: { "x-mcp-header": "X" }, examples: [{ "x-mcp-header": "X" }] },
  });
  assert.deepEqual(readParamHeaders(schema), { mirrored: [], problem: null });
});
