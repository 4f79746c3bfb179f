import assert from "node:assert/strict";
import { test } from "node:test";
import { readScript } from "./read-plan.ts";
import { scriptFrame } from "./write-script.ts";

test("calls are read in every spelling of arguments, with their lines", () => {
  const { steps, problems, task } = readScript(`#!/bin/bash
# Task: try it
set -euo pipefail
echo "step one"
toolplane call demo.greet name=Ann 'note=it'\\''s'   # text
toolplane call demo.add a:=1 \\
  b:=2
toolplane call --args='{"a":{"b":[1]},"c":"x"}' -- demo.all c=y; toolplane --json call last
`);
  assert.deepEqual(problems, []);
  assert.equal(task, "try it");
  assert.deepEqual(
    steps.map(({ line, tool, arguments: args }) => [line, tool, args]),
    [
      [5, "demo.greet", { name: "Ann", note: "it's" }],
      [6, "demo.add", { a: 1, b: 2 }],
      [8, "demo.all", { a: { b: [1] }, c: "y" }],
      [8, "last", {}],
    ],
  );
});

test("a script that is still to be filled in ends with a status, and has no problem", () => {
  const { steps, problems } = readScript("# Task: try it\necho 'There is no step yet.'\nexit 1\n");
  assert.deepEqual([steps, problems], [[], []]);
  const early = readScript("exit 1\ntoolplane call demo.greet\n");
  assert.match(early.problems[0]?.message ?? "", /'exit' is not a tool call/);
});

const unreadable: [
  text: string,
  line: number,
  tool: string | null,
  message: RegExp,
  hint: RegExp,
][] = [
  ["\ncurl http://x", 2, null, /'curl' is not a tool call/, /toolplane call NAME/],
  [
    "toolplane tools list",
    1,
    null,
    /'toolplane tools' is not a tool call/,
    /'toolplane call NAME' only/,
  ],
  ["toolplane", 1, null, /'toolplane' is not a tool call/, /only/],
  ["toolplane call", 1, null, /names no tool/, /NAME --args/],
  ["toolplane call a b", 1, "a", /'b' is not an argument/, /key=value/],
  ["toolplane call a b:=x", 1, "a", /b is not valid JSON/, /b=…/],
  ["toolplane call a --args '{'", 1, "a", /--args is not valid JSON at position 1/, /Quote it/],
  ["toolplane call a --args", 1, "a", /--args is not valid JSON/, /Quote it/],
  ["toolplane call a --args '[1]'", 1, "a", /not a JSON object/, /key/],
  ["toolplane call a --args @file", 1, "a", /come from elsewhere/, /into the plan/],
  ["toolplane call a --args -", 1, "a", /come from elsewhere/, /into the plan/],
  ["toolplane call a --user bob", 1, "a", /--user is not a part of a plan/, /plan run/],
  ["toolplane call a --dry-run", 1, "a", /--dry-run is not a part/, /plan run/],
  ["toolplane call a --yes", 1, "a", /--yes is not a part/, /plan run/],
  ["toolplane call a --arg '{}'", 1, "a", /no option --arg/, /Did you mean --args/],
  ["toolplane call a --json=1", 1, "a", /--json/, /./],
  ["toolplane call a b=$HOME", 1, "a", /'b=\$HOME' cannot be read/, /single quotes/],
  ["toolplane call $TOOL", 1, null, /cannot be read/, /single quotes/],
  ["toolplane call a | jq .", 1, "a", /A pipe/, /one 'toolplane call' a line/],
  ["toolplane call a > out", 1, "a", /A redirection/, /./],
  ["if true; then toolplane call a; fi", 1, null, /'if' is not a tool call/, /./],
  ["PATH=/evil toolplane call a", 1, null, /'PATH=\/evil' is not a tool call/, /./],
  ["toolplane() { rm x; }", 1, null, /function/, /./],
  ["set -n", 1, null, /'set' is not a tool call/, /./],
  ["echo $(rm x)", 1, null, /cannot be read/, /./],
  ["toolplane call a 'b=c", 1, "a", /quote that begins in line 1/, /./],
  ["toolplane call a\r\ntoolplane call b", 1, null, /carriage returns/, /Unix line ends/],
  ["toolplane call a b=\0", 1, null, /zero bytes/, /again/],
];

for (const [text, line, tool, message, hint] of unreadable) {
  test(`${JSON.stringify(text)} is not read as something else`, () => {
    const [problem] = readScript(text).problems;
    assert.deepEqual([problem?.line, problem?.tool], [line, tool]);
    assert.match(problem?.message ?? "", message);
    assert.match(problem?.hint ?? "", hint);
  });
}

test("the frame inside of quotes is text", () => {
  const frame = scriptFrame.replaceAll("'", "");
  assert.deepEqual(readScript(`toolplane call a b='${frame}'`).steps[0]?.arguments, { b: frame });
});

test("only the frame that we write is passed over", () => {
  const frame =
    'dry_run=\nif [ "${1:-}" = --dry-run ] || [ "${TOOLPLANE_DRY_RUN:-}" = 1 ]; then dry_run=1; fi\n';
  assert.deepEqual(readScript(`set -euo pipefail\n${frame}toolplane call a`).problems, []);
  assert.ok(
    readScript(`set -euo pipefail\n${frame.replace("dry_run=1", "rm x")}toolplane call a`).problems
      .length > 0,
  );
});
