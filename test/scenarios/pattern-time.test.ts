import assert from "node:assert/strict";
import { test } from "node:test";
import { judgePattern } from "../fixtures/patterns/judge-pattern.ts";
import {
  type BuiltPattern,
  collectPatterns,
  loadBuiltPatterns,
} from "../fixtures/patterns/pattern-inventory.ts";

/** Expressions that a function puts together, as it does for some input; or why no stranger's text meets them. */
const builtInFunctions: Readonly<Record<string, readonly RegExp[] | string>> = {
  "packages/code/src/guest/clone.ts":
    "copies a program's own expression, within the program's sandbox and time",
  "packages/doctor/src/login-shell.ts": [/\bGITHUB_TOKEN\b/],
  "packages/scan/src/readings.ts": [/idig(?=[aeiouy])/g],
  "src/agent/agent.ts": [/^models\.([^.[]+)/],
  "src/calls/hide-injected.ts": [/(?<![\p{L}\p{N}])secret\.value(?![\p{L}\p{N}])/gu],
  "src/catalogue/quality/pages.ts": [/<\/script/gi],
  "src/config/secrets/references.ts": [
    /(?<!\$)\$+(?=\{(?:env|file|keyring):(?!-))/g,
    /^(?:([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?|(env|file|keyring):([\s\S]+))$/,
  ],
  "src/faces/http/workbench-front.ts": [/\bgzip\b/],
  "src/lib/cron.ts": [/^(?:(?:\*|(?:\d{1,2})(?:-(?:\d{1,2}))?)(?:\/\d{1,3})?(?:,\d{1,2})*)$/i],
  "src/lib/text/safe-pattern.ts": "runs a pattern only where it bounds its steps",
  "src/lib/text/shell.ts": [/\n\t*END(?=\n|$)/],
  "src/testing/completion-wire.ts": [/[\s\S]{1,7}/g],
};

test("an expression that goes back over its text is caught, whatever its worst letters are", () => {
  const slow = [
    /(a+)+$/,
    /\s+$/,
    /\s*\n/g,
    /<!--[\s\S]*?-->/,
    /(?:^|\n|[-=]{3,})\s{0,5}end/,
    /,(?=\s*(?:\/\/[^\n]*\s*)*[}\]])/,
    /^(\w+)\s*(\w*)\s*(\w*)$/,
    /^"(?:[a-z]|[^"])*"$/,
    /(?:x\d+)+y/,
  ];
  for (const pattern of slow) assert.notEqual(judgePattern(pattern), null, String(pattern));
  for (const pattern of [/(?<!\s)\s+$/, /^[a-z]+$/, /"[^"\n]{0,20}"/, /<[a-z]{1,9}>/])
    assert.equal(judgePattern(pattern), null, String(pattern));
});

const { literals, built } = collectPatterns();
const isFunction = ({ isInFunction }: BuiltPattern) => isInFunction;
const filesOf = (patterns: readonly BuiltPattern[]) => [
  ...new Set(patterns.map(({ file }) => file)),
];

test("every expression that a function puts together is in the table, and no other", () => {
  assert.deepEqual(filesOf(built.filter(isFunction)).sort(), Object.keys(builtInFunctions).sort());
});

/** What never meets a long text of a stranger, and why. */
const exempt: Readonly<Record<string, string>> = {
  "src/lib/text/safe-pattern.ts":
    "the engine compiled the pattern before, so that its brackets are closed",
};

test("every regular expression takes linear time on 1 MB of its worst letters", async (context) => {
  assert.ok(literals.length > 500);
  const loaded = await loadBuiltPatterns(filesOf(built.filter((pattern) => !isFunction(pattern))));
  const tabled = Object.entries(builtInFunctions).flatMap(([file, patterns]) =>
    typeof patterns === "string" ? [] : patterns.map((pattern) => ({ pattern, places: [file] })),
  );
  const constructed = loaded.map((pattern) => ({ pattern, places: ["built while it is loaded"] }));
  const judged = [...literals, ...tabled, ...constructed].filter(
    ({ places }) => !places.every((place) => (place.split(":")[0] ?? "") in exempt),
  );
  const problems = judged.flatMap(({ pattern, places }) => {
    const problem = judgePattern(pattern);
    return problem === null ? [] : `${places.join(", ")}\n  ${pattern}\n  ${problem}`;
  });
  context.diagnostic(`${literals.length} literals, ${loaded.length} built`);
  assert.equal(problems.length, 0, problems.join("\n"));
});
