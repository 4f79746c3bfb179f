import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../model/json.ts";
import { fillPrompt } from "./model.ts";

const cases: [title: string, template: string, args: JsonObject, filled: string][] = [
  ["a text goes in as it is", "Say {{what}}!", { what: "hi" }, "Say hi!"],
  ["spaces inside the braces do not matter", "{{ what }}", { what: "hi" }, "hi"],
  ["anything else goes in as JSON", "{{n}} {{list}}", { n: 0, list: ["a"] }, '0 ["a"]'],
  ["what is not given leaves nothing", "[{{gone}}]", {}, "[]"],
  ["what is put in is not read again", "{{a}}", { a: "{{b}} $& $1", b: "x" }, "{{b}} $& $1"],
  ["what every object has is no argument", "{{constructor}}", {}, ""],
  ["single braces are text", '{"a": {b}}', { b: "x" }, '{"a": {b}}'],
];

for (const [title, template, args, filled] of cases) {
  test(`a prompt: ${title}`, () => assert.equal(fillPrompt(template, args), filled));
}
