import assert from "node:assert/strict";
import { test } from "node:test";
import { readParts } from "../../packages/agent/src/patterns.ts";
import { parseReact } from "../../packages/agent/src/react/reader.ts";
import { describeTool } from "../../packages/agent/src/react/style.ts";
import { withLastValue } from "../../packages/code/src/last-value.ts";
import { readSource } from "../../packages/code/src/program-text.ts";
import { namedIn } from "../../packages/code/src/program-tools.ts";
import { nameFromPackage, plainName } from "../../packages/import/src/adding/names.ts";
import { nameFromPath } from "../../packages/openapi/src/names.ts";
import { findToolReferences } from "../../packages/scan/src/references.ts";
import { scanDefinition } from "../../packages/scan/src/scan-definition.ts";
import { termsOf } from "../../packages/search/src/query-terms.ts";
import { effectOfName } from "../../src/access/policy/effect.ts";
import { fillPrompt, parseAnswer as parseModelAnswer } from "../../src/calls/providers/model.ts";
import { formats } from "../../src/calls/schema/formats.ts";
import { checkSchema } from "../../src/calls/schema-check.ts";
import { readableText } from "../../src/catalogue/quality/pages.ts";
import { loadTokenCounter } from "../../src/catalogue/tokens/definition-cost.ts";
import { parseYaml } from "../../src/config/text/parse-yaml.ts";
import { parseJson } from "../../src/config/text/read-document.ts";
import { parseRequest } from "../../src/faces/gateway/request.ts";
import { readCron } from "../../src/lib/cron.ts";
import { noteExactNumbers, withExactNumbers } from "../../src/lib/json/exact-numbers.ts";
import { changeMembers } from "../../src/lib/json/json-members.ts";
import { parseLenientJson } from "../../src/lib/json/lenient-json.ts";
import { ambiguityIn, measureJson } from "../../src/lib/json/measure-json.ts";
import { repairTruncatedJson } from "../../src/lib/json/repair-json.ts";
import { isMetadataName } from "../../src/lib/net/address-class.ts";
import { parseVersionRange } from "../../src/lib/semver.ts";
import { matchesGlob } from "../../src/lib/text/glob.ts";
import { createPatternSet } from "../../src/lib/text/linear-pattern.ts";
import { nearest } from "../../src/lib/text/nearest.ts";
import { plainText } from "../../src/lib/text/plain-text.ts";
import { redact } from "../../src/lib/text/redact.ts";
import { readShell } from "../../src/lib/text/shell.ts";
import { messageForModel } from "../../src/model/errors.ts";
import { writeText } from "../../src/model/foreign.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import { createLineSplitter } from "../../src/protocol/line-splitter.ts";
import { createSseParser } from "../../src/protocol/sse-parser.ts";
import { parseChallenge } from "../../src/servers/auth/oauth/challenge.ts";
import { createServerLog } from "../../src/servers/server-log.ts";
import { parseMessage as parseAnswer } from "../../src/servers/transports/parse-message.ts";
import { looksLikeMarkdown, readMarkdown } from "../../workbench/src/parts/markdown-tree.ts";
import { isWholeTier } from "../fixtures/tier.ts";

/** Below it, what else the process does is larger than what is measured. */
const floorMs = 40;
/** Twice the input may take this much of the time; three doublings are measured at once. */
const maxGrowth = 2.2 ** 3;

/** Of this thread, which others on the machine do not change. */
function timeOf(run: (input: string) => unknown, input: string): number {
  const before = process.threadCpuUsage();
  run(input);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** The best of several, of sizes in turn, until the growth is seen to be linear. Small texts show what grows without bounds. */
function assertLinear(
  run: (input: string) => unknown,
  make: (size: number) => string,
  whole: number,
): void {
  const size = isWholeTier ? whole : Math.ceil(whole / 8);
  const small = make(size / 4);
  const large = make(2 * size);
  let least = Number.POSITIVE_INFINITY;
  let most = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 12; round++) {
    least = Math.min(least, timeOf(run, small));
    most = Math.min(most, timeOf(run, large));
    if (most <= Math.max(floorMs, maxGrowth * least)) return;
  }
  assert.fail(
    `${size / 4} characters take ${least.toFixed(1)} ms, eight times as many ${most.toFixed(1)} ms`,
  );
}

const repeat = (part: string, before = "", after = "") => {
  return (size: number) => `${before}${part.repeat(Math.ceil(size / part.length))}${after}`;
};

const nothing = () => {};
const readSse = (text: string) => {
  const parser = createSseParser(nothing);
  for (let at = 0; at < text.length; at += 100) parser(text.slice(at, at + 100));
};
const readLines = (text: string) => {
  const take = createLineSplitter(64 * 1024 * 1024, nothing, nothing);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 100) take(bytes.subarray(at, at + 100));
};
const exact = (text: string) => {
  const value: unknown = JSON.parse(text);
  noteExactNumbers(value, text);
  return withExactNumbers(value);
};
const checkText = (schema: JsonObject) => (text: string) => checkSchema(schema, text);
const checkJson = (schema: JsonObject) => (text: string) =>
  checkSchema(schema, JSON.parse(text) as Json);

const measured = (text: string) => {
  const { tooMuch, members } = measureJson(text);
  return tooMuch ?? ambiguityIn(text, JSON.parse(text), members);
};

const askedOfModel = (text: string) => {
  assert.throws(() => parseModelAnswer(text, "a"), { code: "PROVIDER_FAILED" });
};
const named = new Map([["other_tool", ["other"]]]);
const mentioned = (description: string) =>
  findToolReferences({ name: "a", description }, "a", named);
const told = (text: string) => describeTool({ name: "a", description: text, parameters: {} });
/** Each is short, and a server can send many. */
const challenged = (text: string) => Array.from({ length: 20 }, () => parseChallenge(text));
const logged = (text: string) => createServerLog(String).addText(`${text}\n`.repeat(20));
const forModel = (text: string) =>
  messageForModel({ message: `${text}HINT`, data: { personHints: ["HINT"] } });

/** Nothing in it is an expression. */
const lastValueOf = (text: string) => withLastValue(text, () => false);

const scanned = (text: string) => scanDefinition({ name: "a", description: text });

type Row = [
  what: string,
  run: (input: string) => unknown,
  make: (size: number) => string,
  size: number,
];

const rows: Row[] = [
  ["escapes in a text of JSON", measured, repeat('\\"', '{"a":"', '"}'), 400_000],
  ["members of JSON", measured, repeat('{"a":{"b":1}},', "[", "1]"), 400_000],
  [
    "a message of a client",
    parseRequest,
    repeat('"a",', '{"jsonrpc":"2.0","id":1,"method":"a","params":{"a":[', "1]}}"),
    200_000,
  ],
  [
    "an answer of a server",
    (text) => parseAnswer(text),
    repeat('{"a":1},', '{"jsonrpc":"2.0","id":1,"result":{"a":[', "1]}}"),
    200_000,
  ],
  ["patterns of rules", createPatternSet(["(a+)+$", "a.*b.*c"]), repeat("a", "", "!"), 50_000],
  ["numbers beyond 2^53", exact, repeat("9007199254740993,", "[", "1]"), 80_000],
  [
    "small numbers beside one beyond 2^53",
    exact,
    repeat("1,", "[9007199254740993,", "1]"),
    200_000,
  ],
  [
    "a nested quantifier in a schema",
    checkText({ pattern: "^(a+)+$" }),
    repeat("a", "", "!"),
    200_000,
  ],
  ["an unanchored quantifier in a schema", checkText({ pattern: "a+b" }), repeat("a"), 200_000],
  [
    "keys beside patternProperties",
    checkJson({ patternProperties: { "^(a|a)*$": {} } }),
    repeat("a", '{"', '!":1}'),
    50_000,
  ],
  [
    "a list without duplicates",
    checkJson({ uniqueItems: true }),
    repeat('{"a":[1,2]},', "[", "1]"),
    100_000,
  ],
  [
    "a list of wrong items",
    checkJson({ items: { type: "string" } }),
    repeat("1,", "[", "1]"),
    200_000,
  ],
  [
    "a glob of many stars",
    (text) => matchesGlob(`${"*a".repeat(20)}!`, text),
    repeat("a"),
    100_000,
  ],
  [
    "a long name that is looked for",
    (text) => nearest(text, [`${text}b`, "alpha"]),
    repeat("ab"),
    100_000,
  ],
  ["words of a shell", readShell, repeat("'a' \"b\" $(c) "), 50_000],
  ["open brackets of a shell", readShell, repeat("$("), 20_000],
  ["secrets in a text", redact, repeat("password: Bearer a.b "), 50_000],
  ["beginnings of tokens in a text", redact, repeat("eyJ-"), 50_000],
  ["spaces in a text", redact, repeat(" "), 200_000],
  ["fences of a program that are not closed", readSource, repeat("```a\n"), 60_000],
  ["spaces in a fence of a program", readSource, repeat(" ", "```\n"), 60_000],
  [
    "blank lines before the last value of a program",
    lastValueOf,
    repeat("\n", "a", "class A {}"),
    60_000,
  ],
  ["closed brackets in a program", lastValueOf, repeat(")\n"), 60_000],
  ["quotes in a program that are not closed", namedIn, repeat('\\"'), 50_000],
  ["comments in a program that are not closed", namedIn, repeat("/* "), 100_000],
  ["calls in a program", namedIn, repeat("tools.a.b();\n"), 100_000],
  ["capitals in the name of a tool", effectOfName, repeat("A"), 50_000],
  ["a plan that a model does not close", readParts, repeat("["), 50_000],
  ["names in a program that are not called", namedIn, repeat("tools."), 50_000],
  ["a fence that a model does not close", askedOfModel, repeat("\n", "```", "a"), 50_000],
  [
    "spaces in a prompt that is not closed",
    (text) => fillPrompt(text, {}),
    repeat(" ", "{{"),
    20_000,
  ],
  ["spaces in the description of a tool", told, repeat(" ", "a", "a"), 50_000],
  ["signs within a word of a description", mentioned, repeat("-", "a", "a"), 40_000],
  ["spaces in an error", forModel, repeat(" ", "a", "a"), 50_000],
  [
    "members of an object that is changed",
    (text) => changeMembers(text, {}),
    repeat('"a":1,', "{", '"a":1}'),
    400_000,
  ],
  ["a challenge of a server", challenged, repeat("a", "Bearer ", ";"), 4_000],
  ["a long line in a log of a server", logged, repeat("a", "", ` ${"b".repeat(5_000)}`), 2_000],
  ["braces in a path", (text) => nameFromPath("get", text), repeat("{"), 50_000],
  ["dots in the name of a host", isMetadataName, repeat(".", "a", "a"), 50_000],
  ["dollars in a bundle", (text) => writeText([text]), repeat("$"), 50_000],
  ["signs in the name of a package", nameFromPackage, repeat("@", "a", "\n"), 50_000],
  ["signs in a name", plainName, repeat("-", "a", "a"), 50_000],
  ["line breaks before Markdown", looksLikeMarkdown, repeat("\n", "", "a"), 50_000],
  ["Markdown that is not closed", looksLikeMarkdown, repeat("**a "), 50_000],
  ["a fence in Markdown", readMarkdown, repeat("~", "", "`"), 2_000],
  ["a heading in Markdown", readMarkdown, repeat(" ", "# a", "a"), 50_000],
  ["a divider in Markdown", readMarkdown, repeat(" ", "|a\n", "- a"), 50_000],
  ["many fences in Markdown", readMarkdown, repeat("```\n"), 100_000],
  ["hidden characters in a text", plainText, repeat("a\u200b\u202e"), 50_000],
  ["a query", (text) => termsOf(text), repeat("find all things "), 50_000],
  ["comments of a page", readableText, repeat("<!--", "", ">"), 2_000_000],
  ["scripts of a page", readableText, repeat("<script></script"), 2_000_000],
  ["tags of a page", readableText, repeat("<", "", ">"), 2_000_000],
  ["a definition", scanned, repeat("ignore <a "), 50_000],
  ["dashes in a definition", scanned, repeat("-"), 100_000],
  ["equals signs in a definition", scanned, repeat("a="), 100_000],
  ["dots and dashes in a definition", scanned, repeat(".-"), 100_000],
  ["edges of lines in a definition", scanned, repeat("ba\n"), 100_000],
  ["a stream of events", readSse, repeat("data: x\n"), 200_000],
  ["one event in many pieces", readSse, repeat("x", "data: "), 400_000],
  ["one line in many pieces", readLines, repeat("x"), 400_000],
  ["JSON that was cut off", repairTruncatedJson, repeat('{"a":['), 20_000],
  ["a text of JSON that was cut off", repairTruncatedJson, repeat("\\u00e4", '{"a":"'), 100_000],
  ["JSON in another spelling", parseLenientJson, repeat("a: 'b', ", "{", "}"), 50_000],
  ["labels of a ReACT text", parseReact, repeat("Thought: a\nAction: b\n"), 50_000],
  ["the input of a ReACT action", parseReact, repeat('{"a":', "Action: x\nAction Input: "), 20_000],
  [
    "a configuration in JSON",
    (text) => parseJson("a.json", text),
    repeat('"a",', "[", '"a"]'),
    50_000,
  ],
  ["a configuration in YAML", (text) => parseYaml("a.yaml", text), repeat("- a\n"), 20_000],
  ["a version range", parseVersionRange, repeat(">=1.0.0 "), 20_000],
  ["a calendar", (text) => readCron(text, "UTC"), repeat("1,", "", "1 * * * *"), 10_000],
];

for (const [what, run, make, size] of rows)
  test(`${what}: twice the input takes twice the time`, () => assertLinear(run, make, size));

for (const [what, part] of Object.entries({ "one long word": "A", "signs without an end": "-=" }))
  test(`the tokens of ${what}: twice the input takes twice the time`, async () =>
    assertLinear(await loadTokenCounter(), repeat(part), 50_000));

for (const [name, { type, fits }] of Object.entries(formats))
  test(`texts of format '${name}': twice the input takes twice the time`, {
    skip: type === "number",
  }, () => {
    for (const part of ["a", "a.", "a-", "%41", "1", "/a", "a@", ":"])
      assertLinear(fits as (text: string) => boolean, repeat(part, "http://", "\u0001"), 20_000);
  });
