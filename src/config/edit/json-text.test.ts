import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cases } from "../../../test/fixtures/tier.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { jsonText } from "./json-text.ts";

function plain(text: string): unknown {
  return JSON.parse(JSON.stringify(jsonText.parse(text) ?? null));
}

const added: [title: string, before: string, after: string][] = [
  ["an empty text becomes an object", "", '{\n  "m": {\n    "b": 1\n  }\n}\n'],
  ["an empty object opens up", "{}\n", '{\n  "m": {\n    "b": 1\n  }\n}\n'],
  ["the indentation is that of the file", '{\n\t"m": {}\n}', '{\n\t"m": {\n\t\t"b": 1\n\t}\n}'],
  [
    "a comment behind the last entry stays with it",
    '{\n  "m": {\n    "a": 0 // first\n  }\n}',
    '{\n  "m": {\n    "a": 0, // first\n    "b": 1\n  }\n}',
  ],
  [
    "a trailing comma stays the habit of the file",
    '{\n  "m": {\n    "a": 0, /* first */\n  },\n}',
    '{\n  "m": {\n    "a": 0, /* first */\n    "b": 1,\n  },\n}',
  ],
  [
    "the ends of lines stay",
    '{\r\n "m": {\r\n  "a": 0\r\n }\r\n}',
    '{\r\n "m": {\r\n  "a": 0,\r\n  "b": 1\r\n }\r\n}',
  ],
  ["one line stays one line", '{"m":{"a":[1,2]}}', '{"m":{"a":[1,2],"b":1}}'],
  ["spaces on one line are kept up", '{ "m": { "a": 0 } }', '{ "m": { "a": 0, "b": 1 } }'],
  ["an empty object on one line stays there", '{"x":0,"m":{}}', '{"x":0,"m":{"b":1}}'],
  ["null is as good as nothing", '{\n  "m": null\n}', '{\n  "m": {\n    "b": 1\n  }\n}'],
  ["comments alone stay on top", "// mine\n", '// mine\n{\n  "m": {\n    "b": 1\n  }\n}\n'],
  [
    "comments in an empty object stay",
    '{"m": {\n  // none\n}}',
    '{"m": {\n  // none\n  "b": 1\n}}',
  ],
  [
    "an existing value is replaced",
    '{\n  "m": { "b": [0] } // x\n}',
    '{\n  "m": { "b": 1 } // x\n}',
  ],
  ["of two equal keys the last one counts", '{"m":{"b":2,"b":3}}', '{"m":{"b":2,"b":1}}'],
];

for (const [title, before, after] of added) {
  test(`setting a value: ${title}`, () => {
    assert.equal(jsonText.set(before, ["m", "b"], 1), after);
  });
}

const removed: [title: string, before: string, after: string][] = [
  ["the line goes with it", '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}', '{\n  "a": 1,\n  "c": 3\n}'],
  ["the last one takes the comma before it along", '{\n  "a": 1,\n  "b": 2\n}', '{\n  "a": 1\n}'],
  ["a trailing comma stays", '{\n  "a": 1,\n  "b": 2,\n}', '{\n  "a": 1,\n}'],
  ["the only one leaves an empty object", '{\n  "b": 2\n}\n', "{}\n"],
  ["a neighbour's comment stays", '{\n  "a": 1, // one\n  "b": 2\n}', '{\n  "a": 1 // one\n}'],
  [
    "its own comment stays too",
    '{\n  // two\n  "b": 2, // II\n  "c": 3\n}',
    '{\n  // two\n  // II\n  "c": 3\n}',
  ],
  ["a comment before the comma stays", '{"b": 2 /* II */, "c": 3}', '{ /* II */ "c": 3}'],
  ["on one line the first", '{ "b": 2, "c": 3 }', '{ "c": 3 }'],
  ["on one line the last", '{ "a": 1, "b": 2 }', '{ "a": 1 }'],
  ["a key written twice goes twice", '{"b":1,"a":2,"b":3}', '{"a":2}'],
];

for (const [title, before, after] of removed) {
  test(`removing a value: ${title}`, () => {
    assert.equal(jsonText.remove(before, ["b"]), after);
  });
}

test("an entry of a list can be added and removed", () => {
  const text = '{\n  "list": [\n    { "name": "a" }\n  ]\n}\n';
  const more = jsonText.set(text, ["list", 1], { name: "b" });
  assert.deepEqual(plain(more), { list: [{ name: "a" }, { name: "b" }] });
  assert.equal(jsonText.remove(more, ["list", 1]), text);
});

test("what is not there cannot be removed", () => {
  for (const path of [["x"], ["a", "b"], []]) assert.equal(jsonText.remove('{"a":1}', path), null);
  assert.equal(jsonText.remove("", ["a"]), null);
});

test("a value that is not an object is not written into", () => {
  assert.throws(() => jsonText.set('{\n"m": [1]}', ["m", "b"], 1), {
    line: 2,
    message: /^m is not an object/,
  });
});

// Without quotes and backslashes: JSON.parse of Node 24.21 takes the key "\"" for "\\" once it has seen that one.
const key = fc
  .oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "a b", "ä", "//", "/*"))
  .filter((text) => !/["\\]/.test(text));
const object: fc.Arbitrary<JsonObject> = fc
  .dictionary(key, fc.jsonValue())
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);
const indent = fc.constantFrom("", "  ", "    ", "\t", " ");

/** Puts a numbered comment at the end of every line. */
function withComments(text: string): string {
  let count = 0;
  return text
    .split("\n")
    .map((line) => (line === "" ? line : `${line} // ${count++} {[,"`))
    .join("\n");
}

function commentsOf(text: string): string[] {
  return text.match(/\/\/ \d+ \{\[,"$/gm) ?? [];
}

test("whatever the object: a value that was set is there, and once removed everything is as it was", () => {
  const property = fc.property(
    object,
    indent,
    fc.boolean(),
    key,
    object,
    (data, space, isCrlf, name, value) => {
      fc.pre(!Object.hasOwn(data, name));
      const lines = withComments(JSON.stringify(data, null, space));
      const text = isCrlf ? lines.replaceAll("\n", "\r\n") : lines;
      const more = jsonText.set(text, [name], value);
      assert.deepEqual(plain(more), Object.fromEntries([...Object.entries(data), [name, value]]));
      const less = jsonText.remove(more, [name]) ?? "";
      assert.deepEqual(plain(less), data);
      assert.deepEqual(commentsOf(less.replaceAll("\r", "")), commentsOf(lines));
      assert.equal(less.replaceAll(/\s/g, ""), text.replaceAll(/\s/g, ""));
    },
  );
  fc.assert(property, { numRuns: cases(500) });
});

test("whatever is removed: the rest of the data and every comment stay", () => {
  const property = fc.property(object, indent, fc.nat(), (data, space, at) => {
    const names = Object.keys(data);
    fc.pre(names.length > 0);
    const name = names[at % names.length] ?? "";
    const text = withComments(JSON.stringify(data, null, space));
    const less = jsonText.remove(text, [name]) ?? "";
    const rest = Object.entries(data).filter(([other]) => other !== name);
    assert.deepEqual(plain(less), Object.fromEntries(rest));
    const inside = JSON.stringify(data[name] as Json, null, space).split("\n").length - 1;
    if (rest.length > 0) assert.equal(commentsOf(less).length, commentsOf(text).length - inside);
  });
  fc.assert(property, { numRuns: cases(500) });
});
