import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import type { PlanStep, ToolPlan } from "@toolplane/core/model/calls/tool-plan";
import type { JsonObject } from "@toolplane/core/model/json";
import { cases } from "@toolplane/test/fixtures/tier";
import { anyCharacter } from "@toolplane/test/samples/texts";
import fc from "fast-check";
import { readPlan } from "./read-plan.ts";
import { toComment, writeScript } from "./write-script.ts";

test("a plan is a script of calls, with its task and reasons in comments", () => {
  const steps: PlanStep[] = [
    { tool: "demo.greet", arguments: { name: "Ann" }, why: "She is here." },
    { tool: "-odd tool", arguments: {}, why: "", dependsOn: [1] },
  ];
  assert.equal(
    writeScript({ task: "greet\nAnn", steps }),
    `#!/usr/bin/env bash
# Task: greet Ann
# See what it would do: toolplane plan check FILE, or bash FILE --dry-run
set -euo pipefail
dry_run=
if [ "\${1:-}" = --dry-run ] || [ "\${TOOLPLANE_DRY_RUN:-}" = 1 ]; then dry_run=1; fi

# 1. She is here.
toolplane call demo.greet --args '{"name":"Ann"}' \${dry_run:+--dry-run}

# 2.  (after 1)
toolplane call --args '{}' \${dry_run:+--dry-run} -- '-odd tool'
`,
  );
});

const awkward = fc.string({
  unit: fc.constantFrom(
    "'",
    '"',
    "$",
    "$(touch x)",
    "`id`",
    "\\",
    "\n",
    "\r",
    "-",
    "--args",
    "!",
    "*",
    "~",
    " ",
    "#",
    "\u2028",
    "\u0000",
    "é",
    "😀",
    "a",
  ),
  maxLength: 12,
});
const text = fc.oneof(awkward, fc.string({ unit: anyCharacter, maxLength: 20 }));
const toolName = text
  .map((name) => name.replaceAll("\0", "").toWellFormed())
  .filter((name) => name.trim() !== "");
const args = fc.dictionary(
  text,
  fc.jsonValue({ maxDepth: 2, stringUnit: anyCharacter }),
) as fc.Arbitrary<JsonObject>;
const step: fc.Arbitrary<PlanStep> = fc.record({ tool: toolName, arguments: args, why: text });
const plan: fc.Arbitrary<ToolPlan> = fc.record({
  task: text,
  steps: fc.array(step, { minLength: 1, maxLength: 6 }),
});

/** -0 is 0 in JSON. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const calls = (steps: readonly PlanStep[]) =>
  steps.map(({ tool, arguments: given }) => [tool, asJson(given)]);

test("reading a script gives the same calls back, whatever is in them", () => {
  fc.assert(
    fc.property(plan, (one) => {
      const { steps, problems } = readPlan(writeScript(one));
      assert.deepEqual(problems, []);
      assert.deepEqual(calls(steps), calls(one.steps));
    }),
    { numRuns: cases(300) },
  );
});

test("bash makes exactly these calls, whatever is in them", () => {
  const plans = fc.sample(plan, { numRuns: 40, seed: 8 });
  for (const one of plans) {
    assert.deepEqual(
      argumentsInBash(writeScript(one)),
      one.steps.map(({ tool, arguments: given }) => wordsFor(tool, given, [])),
    );
    assert.deepEqual(
      argumentsInBash(writeScript(one), "--dry-run"),
      one.steps.map(({ tool, arguments: given }) => wordsFor(tool, given, ["--dry-run"])),
    );
  }
});

/** What a command of that name is given by a script, call by call. */
function argumentsInBash(script: string, ...words: string[]): string[][] {
  const program = `toolplane() { printf '%s\\0' "$#" "$@"; }; eval "$SCRIPT"`;
  const said = execFileSync("bash", ["--norc", "-c", program, "plan.sh", ...words], {
    env: { PATH: process.env.PATH, SCRIPT: script },
    encoding: "utf8",
  });
  const parts = said.split("\0").slice(0, -1);
  const made: string[][] = [];
  // A call is the number of its words, and then these.
  for (let at = 0; at < parts.length; at += Number(parts[at]) + 1)
    made.push(parts.slice(at + 1, at + 1 + Number(parts[at])));
  return made;
}

function wordsFor(tool: string, given: JsonObject, more: string[]): string[] {
  const json = ["--args", JSON.stringify(given)];
  return tool.startsWith("-")
    ? ["call", ...json, ...more, "--", tool]
    : ["call", tool, ...json, ...more];
}

test("a comment is one line without anything that hides, and not too long", () => {
  assert.equal(toComment(" a\n\u2028b\u001b[31m\u202ec\td "), "a bc d");
  assert.equal(toComment("x".repeat(2_000)).length, 500);
});
