import "../../../../test/samples/no-colors.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { renderDiff } from "./registry.ts";

test("a change shows only what is different, with where it stands", () => {
  const before = {
    description: "Old",
    parameters: { required: ["a"], properties: { a: { type: "string" } } },
  };
  const after = {
    description: "New",
    parameters: { required: ["a"], properties: {} },
    version: "2",
  };
  assert.deepEqual(renderDiff({ kind: "changed", before, after }), [
    '  − description: "Old"',
    '  + description: "New"',
    '  − parameters.properties.a.type: "string"',
    "  + parameters.properties: {}",
    '  + version: "2"',
  ]);
});

test("what came or went has no difference to show", () => {
  assert.deepEqual(renderDiff({ kind: "added", before: null, after: { a: 1 } }), []);
  assert.deepEqual(renderDiff({ kind: "removed", before: { a: 1 }, after: null }), []);
});

test("a long difference is cut, and foreign text cannot write to the terminal", () => {
  const after = Object.fromEntries(
    Array.from({ length: 50 }, (_, at) => [`k${at}`, "\u001b[31mred"]),
  );
  const lines = renderDiff({ kind: "changed", before: {}, after });
  assert.equal(lines.length, 21);
  assert.match(lines.at(-1) ?? "", /30 more lines/);
  assert.ok(!lines.join("").includes("\u001b"));
});
