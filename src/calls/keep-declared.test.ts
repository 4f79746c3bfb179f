import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleTool } from "../../test/samples/calls.ts";
import type { Tool } from "../model/catalogue/tool.ts";
import type { JsonObject } from "../model/json.ts";
import { keepDeclared } from "./validate.ts";

const declared = { name: { type: "string" }, count: { type: "integer" } };
const args = { name: "n", extra: 1, x_note: "x" };

const all = Object.keys(args);

type Filter = [title: string, schema: JsonObject, kept: string[], tool?: Partial<Tool>];

const filters: Filter[] = [
  [
    "a closed schema keeps what it declares",
    { properties: declared, additionalProperties: false },
    ["name"],
  ],
  ["a silent schema keeps what it declares", { properties: declared }, ["name"]],
  ["an open schema keeps everything", { properties: declared, additionalProperties: true }, all],
  [
    "a schema that types its extras keeps everything",
    { properties: declared, additionalProperties: { type: "number" } },
    all,
  ],
  [
    "a schema with patterns keeps what they match",
    { properties: declared, patternProperties: { "^x_": {} }, additionalProperties: false },
    ["name", "x_note"],
  ],
  [
    "a pattern that does not compile matches nothing and breaks nothing",
    { properties: declared, patternProperties: { "(": {} } },
    ["name"],
  ],
  [
    "what is required is declared",
    { properties: declared, required: ["extra"] },
    ["name", "extra"],
  ],
  [
    "what is required by a part is declared",
    { properties: declared, anyOf: [{ required: ["extra"] }], additionalProperties: false },
    ["name", "extra"],
  ],
  ["a schema that only requires keeps everything", { type: "object", required: ["name"] }, all],
  ["a schema that declares nothing keeps everything", { type: "object" }, all],
  ["an empty list of properties keeps nothing", { type: "object", properties: {} }, []],
  [
    "an empty list of an open schema keeps everything",
    { properties: {}, additionalProperties: true },
    all,
  ],
  ["a closed empty schema keeps nothing", { properties: {}, additionalProperties: false }, []],
  [
    "a schema whose only parameter is injected keeps nothing",
    { properties: {} },
    [],
    { injects: ["_mcp_data"] },
  ],
  [
    "a reserved name is kept out of an open schema",
    { properties: declared, additionalProperties: true },
    ["name", "x_note"],
    { reserved: ["extra"] },
  ],
  [
    "a reserved name is kept out even where it is declared",
    { properties: declared },
    [],
    { reserved: ["name"] },
  ],
  [
    "what a part of the schema declares is declared",
    {
      properties: declared,
      allOf: [{ properties: { extra: {} } }],
      anyOf: [{ properties: { x_note: {} } }],
    },
    all,
  ],
  ["what a property is called after is no matter", { properties: { toString: {} } }, []],
];

for (const [title, parameters, expected, tool = {}] of filters) {
  test(title, () => {
    const { kept, dropped } = keepDeclared(sampleTool({ parameters, ...tool }), args);
    assert.deepEqual(Object.keys(kept), expected);
    assert.deepEqual(
      dropped,
      all.filter((name) => !expected.includes(name)),
    );
  });
}

test("what only the system sets is dropped however it is spelt, unless the tool declares that spelling", () => {
  const open = sampleTool({
    parameters: { type: "object", properties: { Username: {} }, additionalProperties: true },
    reserved: ["username", "_user"],
  });
  const given = JSON.parse(
    '{"username":1,"Username":2,"USERNAME":3,"usern\u0430me":4,"_User":5,"__proto__":6,"x":7}',
  );
  const { kept, dropped } = keepDeclared(open, given);
  assert.deepEqual(kept, { Username: 2, x: 7 });
  assert.deepEqual(dropped, ["username", "USERNAME", "usern\u0430me", "_User", "__proto__"]);
});
