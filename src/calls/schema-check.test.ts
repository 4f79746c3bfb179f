import "../lib/text/linear-pattern.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../model/json.ts";
import { checkOutput, checkSchema } from "./schema-check.ts";

function problems(schema: JsonObject, value: Json): string[] {
  return checkSchema(schema, value).map(({ path, message }) => `${path} ${message}`.trim());
}

const properties = {
  name: { type: "string", minLength: 2 },
  count: { type: "integer", minimum: 0 },
  kind: { enum: ["red", "blue"] },
  when: { type: "string", format: "date" },
  nested: { type: "object", properties: { "a/b": { type: "boolean" } } },
  tags: { type: "array", items: { type: "string" } },
};
const schema = { type: "object", properties, required: ["name"] };

const cases: [title: string, value: Json, expected: string[]][] = [
  ["a value that fits", { name: "ann", count: 0, kind: "red", when: "2026-03-01" }, []],
  ["a missing argument", {}, ["missing 'name'"]],
  ["a wrong type", { name: 7 }, ["/name must be string, got number"]],
  ["null", { name: null }, ["/name must be string, got null"]],
  ["a number as text", { name: "ann", count: "5" }, ["/count must be integer, got string"]],
  ["a number below its minimum", { name: "ann", count: -1 }, ["/count must be >= 0"]],
  [
    "a word that is not on the list",
    { name: "ann", kind: "green" },
    ['/kind must be one of ["red","blue"]'],
  ],
  ["a wrong format", { name: "ann", when: "tomorrow" }, ['/when must match format "date"']],
  [
    "a place inside a list",
    { name: "ann", tags: ["a", 1] },
    ["/tags/1 must be string, got number"],
  ],
  [
    "a key with a slash",
    { name: "ann", nested: { "a/b": [] } },
    ["/nested/a~1b must be boolean, got array"],
  ],
  [
    "several problems at once",
    { name: "a", count: 0.5 },
    ["/name must NOT have fewer than 2 characters", "/count must be integer, got number"],
  ],
];

for (const [title, value, expected] of cases) {
  test(`${title} ${expected.length === 0 ? "has no problems" : "is reported with its place"}`, () => {
    assert.deepEqual(problems(schema, value), expected);
  });
}

test("a schema is one of 2020-12 unless it says that it is older", () => {
  const pair = { type: "array", prefixItems: [{ type: "string" }], items: false };
  assert.equal(problems({ type: "object", properties: { pair } }, { pair: ["a", 1] }).length, 1);
  const old = { type: "array", items: [{ type: "string" }], additionalItems: false };
  for (const version of ["06", "07"]) {
    const $schema = `http://json-schema.org/draft-${version}/schema#`;
    assert.equal(
      problems({ $schema, type: "object", properties: { old } }, { old: ["a", 1] }).length,
      1,
    );
  }
});

test("unknown keywords, formats and dialects do not keep a tool from being called", () => {
  const odd = {
    type: "object",
    "x-order": 1,
    properties: { a: { type: "string", format: "carrier-pigeon" } },
  };
  assert.deepEqual(problems(odd, { a: "x" }), []);
  assert.deepEqual(problems({ $schema: "https://example.com/dialect", type: "object" }, {}), []);
});

test("two schemas of one $id are kept apart, inside and out", () => {
  const make = (type: string) => ({
    $id: "https://example.com/tool",
    type: "object",
    properties: { a: { $id: "https://example.com/a", type } },
  });
  assert.deepEqual(problems(make("string"), { a: 1 }), ["/a must be string, got number"]);
  assert.deepEqual(problems(make("number"), { a: 1 }), []);
});

test("a schema may refer to itself by its $id", () => {
  const $id = "https://example.com/self";
  const selfish = {
    $id,
    type: "object",
    properties: { a: { $ref: `${$id}#/$defs/n` } },
    $defs: { n: { type: "number" } },
  };
  assert.deepEqual(problems(selfish, { a: "x" }), ["/a must be number, got string"]);
});

test("a schema that asks to be checked later is checked now", () => {
  assert.deepEqual(problems({ $async: true, type: "object", required: ["a"] }, {}), [
    "missing 'a'",
  ]);
});

for (const [title, broken] of [
  ["a pattern that does not compile", { properties: { a: { type: "string", pattern: "(" } } }],
  ["a reference to nothing", { properties: { a: { $ref: "#/$defs/missing" } } }],
  ["a type that does not exist", { properties: { a: { type: "objekt" } } }],
] as const) {
  test(`${title} is the provider's failure, each time it is met`, () => {
    const schema: JsonObject = { type: "object", ...broken };
    for (const value of [{ a: "x" }, {}]) {
      assert.throws(() => checkSchema(schema, value), {
        code: "PROVIDER_FAILED",
        message: /own schema/,
      });
    }
  });
}

test("a result that breaks its own schema is warned about with the place", () => {
  const [warning, ...more] = checkOutput(schema, { content: [], structuredContent: { name: 7 } });
  assert.deepEqual(more, []);
  assert.match(warning ?? "", /structuredContent\/name must be string, got number/);
});

test("a result without the structured content it promised is warned about; a falsy one is there", () => {
  assert.match(checkOutput(schema, { content: [] }).join(), /no structured content/);
  assert.deepEqual(checkOutput({ type: "number" }, { content: [], structuredContent: 0 }), []);
});
