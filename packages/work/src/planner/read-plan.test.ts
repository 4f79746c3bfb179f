import assert from "node:assert/strict";
import { test } from "node:test";
import { readPlan } from "./read-plan.ts";

test("steps as JSON are read with their lines", () => {
  const text = `{
  "task": "t", "other": [[1], {"steps": [2]}],
  "steps": [
    {"tool": "a", "arguments": {"x": ["\\n", {"steps": []}]}, "why": "w"},

    {"tool": "b",
     "dependsOn": [1]}, {"tool": "c"}
  ],
  "script": "…"
}`;
  assert.deepEqual(readPlan(text), {
    task: "t",
    problems: [],
    steps: [
      { line: 4, tool: "a", arguments: { x: ["\n", { steps: [] }] }, why: "w" },
      { line: 6, tool: "b", arguments: {}, why: "", dependsOn: [1] },
      { line: 7, tool: "c", arguments: {}, why: "" },
    ],
  });
  assert.deepEqual(
    readPlan('\n[\n{"tool": "a"},\n\n{"tool": "b"}]').steps.map(({ line }) => line),
    [3, 5],
  );
});

const wrong: [text: string, line: number, message: RegExp][] = [
  ['{"steps": [\n{"tool": }]}', 2, /not valid JSON/],
  ['{"steps": {}}', 1, /no list of steps/],
  ['{"plan": []}', 1, /no list of steps/],
  ['{"steps": []}', 1, /no step in it/],
  ["", 1, /no step in it/],
  ["# only a comment", 1, /no step in it/],
  ["[\n1]", 2, /Step 1 names no tool/],
  ['[{"tool": " "}]', 1, /names no tool/],
  ['[{"tool": "a\\u0000"}]', 1, /names no tool/],
  ['[{"tool": "a", "arguments": [1]}]', 1, /arguments that are not an object/],
  ['[{"tool": "a", "arguments": "{}"}]', 1, /arguments that are not an object/],
  ['[{"tool": "a"},\n{"tool": "b", "dependsOn": [2]}]', 2, /Step 2 depends on something/],
  ['[{"tool": "a", "dependsOn": "1"}]', 1, /depends on something/],
  [
    `[{"tool": "a", "arguments": {"x": ${"[".repeat(3_000)}${"]".repeat(3_000)}}}]`,
    1,
    /nested too deeply/,
  ],
  [JSON.stringify(Array.from({ length: 501 }, () => ({ tool: "a" }))), 1, /501 steps/],
  ["#".repeat(1_000_001), 1, /1000001 characters/],
];

for (const [text, line, message] of wrong) {
  test(`${JSON.stringify(text.slice(0, 60))} is reported as ${message}`, () => {
    const { problems, steps } = readPlan(text);
    assert.deepEqual([problems[0]?.line, problems.length], [line, 1]);
    assert.match(problems[0]?.message ?? "", message);
    assert.ok(problems[0]?.hint);
    assert.ok(steps.length <= 1);
  });
}
