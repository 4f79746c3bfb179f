import assert from "node:assert/strict";
import { test } from "node:test";
import { findable } from "@toolplane/test/samples/search-tools";
import { requiredOf, summarizeDescription } from "./answer.ts";

test("a summary is the first sentence", () => {
  const cases: [string, string][] = [
    ["Reads a file. Fails if there is none.", "Reads a file."],
    [
      "Reads a file (e.g. a.txt) of v1.2 or later. More.",
      "Reads a file (e.g. a.txt) of v1.2 or later.",
    ],
    ["Reads\n a   file\n\nArgs:\n  path", "Reads a file"],
    ["搜索网页。返回结果。", "搜索网页。"],
    ["\u001b[31mRed\u001b[0m text", "Red text"],
    ["", ""],
  ];
  for (const [description, summary] of cases)
    assert.equal(summarizeDescription(description, 100), summary);
});

test("a long one is cut between words and says so", () => {
  const summary = summarizeDescription(`Reads ${"very ".repeat(40)}long files`, 100);
  assert.ok(summary.length <= 100 && summary.endsWith("very..."), summary);
  assert.equal(summarizeDescription("x".repeat(200), 10), `${"x".repeat(7)}...`);
  assert.equal(summarizeDescription("😀".repeat(20), 10).length, 9, "never half a character");
});

test("only parameters that the tool declares are needed", () => {
  const parameters = { type: "object", properties: { a: {} }, required: ["a", "_hidden", 3] };
  assert.deepEqual(requiredOf(findable("s", "t", "", { parameters })), ["a"]);
  assert.deepEqual(requiredOf(findable("s", "t")), []);
});
