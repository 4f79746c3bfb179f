import assert from "node:assert/strict";
import { test } from "node:test";
import { mapArguments } from "../../model/calls/provider.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { pickResult, valueAtPointer } from "./mapping.ts";

const renamed: [title: string, map: unknown, args: JsonObject, sent: JsonObject][] = [
  ["without a map nothing changes", undefined, { a: 1 }, { a: 1 }],
  [
    "a named one goes out under the other name",
    { q: "query" },
    { query: "x", n: 2 },
    { q: "x", n: 2 },
  ],
  ["one that is not given is not sent", { q: "query" }, { n: 2 }, { n: 2 }],
  ["two can change places", { a: "b", b: "a" }, { a: 1, b: 2 }, { a: 2, b: 1 }],
  ["one can go out twice", { a: "x", b: "x" }, { x: 1 }, { a: 1, b: 1 }],
  ["a name of JavaScript is a name", { q: "constructor" }, { n: 2 }, { n: 2 }],
];

for (const [title, map, args, sent] of renamed) {
  test(`arguments: ${title}`, () => assert.deepEqual(mapArguments(map, args), sent));
}

const data: Json = { items: [{ title: "first" }, { "a/b": 2 }], none: null };
const paths: [path: string, value: Json | undefined][] = [
  ["items[0].title", "first"],
  ["items.0.title", "first"],
  ["/items/1/a~1b", 2],
  ["none", null],
  ["items[7]", undefined],
  ["none.deeper", undefined],
  ["toString", undefined],
  ["items.length", undefined],
];

for (const [path, value] of paths) {
  test(`'${path}' leads to ${JSON.stringify(value)}`, () =>
    assert.deepEqual(valueAtPointer(path, data), value));
}

test("a part of the structured content becomes the result", () => {
  const result = {
    content: [{ type: "text", text: "all" }],
    structuredContent: data,
    _meta: { k: 1 },
  };
  assert.deepEqual(pickResult("items[0].title", result), {
    content: [{ type: "text", text: "first" }],
    structuredContent: "first",
    _meta: { k: 1 },
  });
});

test("a result that is one text of JSON is looked into as well", () => {
  const result = { content: [{ type: "text", text: JSON.stringify(data) }] };
  assert.deepEqual(pickResult("items[1]", result), {
    content: [{ type: "text", text: '{"a/b":2}' }],
    structuredContent: { "a/b": 2 },
  });
});

test("where nothing stands the whole answer is passed on with a note, and an error as it is", () => {
  const result = { content: [{ type: "text", text: "plain" }] };
  const picked = pickResult("x", result) as { content: unknown; _meta: JsonObject };
  assert.deepEqual(picked.content, result.content);
  assert.match(String(picked._meta["toolplane/resultPath"]), /'x'/);
  const failed = { content: [], structuredContent: { x: 1 }, isError: true };
  assert.equal(pickResult("x", failed), failed);
});
