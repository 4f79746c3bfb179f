import assert from "node:assert/strict";
import { test } from "node:test";
import { effectOfName } from "../../src/access/policy/effect.ts";
import { namedIn } from "../../src/agent/code/program-tools.ts";
import { readParts } from "../../src/agent/patterns.ts";
import { parseReact } from "../../src/agent/react/reader.ts";
import { describeTool } from "../../src/agent/react/style.ts";
import { fillPrompt, parseAnswer as parseModelAnswer } from "../../src/calls/providers/model.ts";
import { formats } from "../../src/calls/schema/formats.ts";
import { checkOutput, checkSchema } from "../../src/calls/schema-check.ts";
import { keepDeclared } from "../../src/calls/validate.ts";
import { findReferences } from "../../src/catalogue/quality/poisoning/references.ts";
import { scanDefinition } from "../../src/catalogue/quality/poisoning/scan-definition.ts";
import { termsOf } from "../../src/catalogue/search/query-terms.ts";
import { loadTokenCounter } from "../../src/catalogue/tokens/definition-cost.ts";
import { nameFromPackage, plainName } from "../../src/config/adding/names.ts";
import { parseYaml } from "../../src/config/text/parse-yaml.ts";
import { parseJson } from "../../src/config/text/read-document.ts";
import { parseMessage as parseRequest } from "../../src/faces/gateway/request.ts";
import { parseBody } from "../../src/faces/http/body.ts";
import { readCron } from "../../src/lib/cron.ts";
import { noteExactNumbers, withExactNumbers } from "../../src/lib/json/exact-numbers.ts";
import { changeMembers } from "../../src/lib/json/json-members.ts";
import { textOf } from "../../src/lib/json/json-text.ts";
import { ambiguityIn, measureJson } from "../../src/lib/json/measure-json.ts";
import { repairTruncatedJson } from "../../src/lib/json/repair-json.ts";
import { respellJson } from "../../src/lib/json/respell-json.ts";
import { isMetadataName } from "../../src/lib/net/address-class.ts";
import { parseVersionRange } from "../../src/lib/semver.ts";
import { matchesGlob } from "../../src/lib/text/glob.ts";
import { createPatternSet } from "../../src/lib/text/linear-pattern.ts";
import { createMatcher } from "../../src/lib/text/matcher.ts";
import { nearest } from "../../src/lib/text/nearest.ts";
import { plainText } from "../../src/lib/text/plain-text.ts";
import { redact } from "../../src/lib/text/redact.ts";
import { createSafePattern } from "../../src/lib/text/safe-pattern.ts";
import { readShell } from "../../src/lib/text/shell.ts";
import type { Tool } from "../../src/model/catalogue/tool.ts";
import { messageForModel } from "../../src/model/errors.ts";
import { writeText } from "../../src/model/foreign.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import { createLineSplitter } from "../../src/protocol/line-splitter.ts";
import { createSseParser } from "../../src/protocol/sse-parser.ts";
import { parseChallenge } from "../../src/servers/auth/oauth/challenge.ts";
import { nameFromPath } from "../../src/servers/openapi/names.ts";
import { createServerLog } from "../../src/servers/server-log.ts";
import { parseMessage as parseAnswer } from "../../src/servers/transports/parse-message.ts";
import { looksLikeMarkdown, readMarkdown } from "../../workbench/src/parts/markdown-blocks.ts";

/** Below it, what else the process does is larger than what is measured. */
const floorMs = 40;
/** Twice the input may take this much of the time; three doublings are measured at once. */
const maxGrowth = 2.2 ** 3;

/** Of the processor, which others on the machine do not change. */
function timeOf(run: (input: string) => unknown, input: string): number {
  const before = process.cpuUsage();
  run(input);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The best of several, of sizes in turn, until the growth is seen to be linear. */
function assertLinear(run: (input: string) => unknown, make: (size: number) => string, size: number): void {
  const [small, large] = [make(size / 4), make(2 * size)];
  let [least, most] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < 12; round++) {
    least = Math.min(least, timeOf(run, small));
    most = Math.min(most, timeOf(run, large));
    if (most <= Math.max(floorMs, maxGrowth * least)) return;
  }
  assert.fail(`${size / 4} characters take ${least.toFixed(1)} ms, eight times as many ${most.toFixed(1)} ms`);
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
const checkJson = (schema: JsonObject) => (text: string) => checkSchema(schema, JSON.parse(text) as Json);

const measured = (text: string) => {
  const { tooMuch, members } = measureJson(text);
  return tooMuch ?? ambiguityIn(text, JSON.parse(text), members);
};

const askedOfModel = (text: string) => {
  assert.throws(() => parseModelAnswer(text, "a"), { code: "PROVIDER_FAILED" });
};
const named = new Map([["other_tool", ["other"]]]);
const mentioned = (description: string) => findReferences({ name: "a", description }, "a", named);
const told = (text: string) => describeTool({ name: "a", description: text, parameters: {} });
/** Each is short, and a server can send many. */
const challenged = (text: string) => Array.from({ length: 20 }, () => parseChallenge(text));
const logged = (text: string) => createServerLog(String).addText(`${text}\n`.repeat(20));
const forModel = (text: string) => messageForModel({ message: `${text}HINT`, data: { personHints: ["HINT"] } });

type Row = [what: string, run: (input: string) => unknown, make: (size: number) => string, size: number];

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
  ["small numbers beside one beyond 2^53", exact, repeat("1,", "[9007199254740993,", "1]"), 200_000],
  ["a nested quantifier in a schema", checkText({ pattern: "^(a+)+$" }), repeat("a", "", "!"), 200_000],
  ["an unanchored quantifier in a schema", checkText({ pattern: "a+b" }), repeat("a"), 200_000],
  [
    "keys beside patternProperties",
    checkJson({ patternProperties: { "^(a|a)*$": {} } }),
    repeat("a", '{"', '!":1}'),
    50_000,
  ],
  ["a list without duplicates", checkJson({ uniqueItems: true }), repeat('{"a":[1,2]},', "[", "1]"), 100_000],
  ["a list of wrong items", checkJson({ items: { type: "string" } }), repeat("1,", "[", "1]"), 200_000],
  ["a glob of many stars", (text) => matchesGlob(`${"*a".repeat(20)}!`, text), repeat("a"), 100_000],
  ["a long name that is looked for", (text) => nearest(text, [`${text}b`, "alpha"]), repeat("ab"), 100_000],
  ["words of a shell", readShell, repeat("'a' \"b\" $(c) "), 50_000],
  ["open brackets of a shell", readShell, repeat("$("), 20_000],
  ["secrets in a text", redact, repeat("password: Bearer a.b "), 50_000],
  ["beginnings of tokens in a text", redact, repeat("eyJ-"), 50_000],
  ["spaces in a text", redact, repeat(" "), 200_000],
  ["quotes in a program that are not closed", namedIn, repeat('\\"'), 50_000],
  ["comments in a program that are not closed", namedIn, repeat("/* "), 100_000],
  ["calls in a program", namedIn, repeat("tools.a.b();\n"), 100_000],
  ["capitals in the name of a tool", effectOfName, repeat("A"), 50_000],
  ["a plan that a model does not close", readParts, repeat("["), 50_000],
  ["the tokens of one long word", await loadTokenCounter(), repeat("A"), 50_000],
  ["the tokens of signs without an end", await loadTokenCounter(), repeat("-="), 50_000],
  ["names in a program that are not called", namedIn, repeat("tools."), 50_000],
  ["a fence that a model does not close", askedOfModel, repeat("\n", "```", "a"), 50_000],
  ["spaces in a prompt that is not closed", (text) => fillPrompt(text, {}), repeat(" ", "{{"), 20_000],
  ["spaces in the description of a tool", told, repeat(" ", "a", "a"), 50_000],
  ["signs within a word of a description", mentioned, repeat("-", "a", "a"), 40_000],
  ["spaces in an error", forModel, repeat(" ", "a", "a"), 50_000],
  ["members of an object that is changed", (text) => changeMembers(text, {}), repeat('"a":1,', "{", '"a":1}'), 400_000],
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
  ["a definition", (text) => scanDefinition({ name: "a", description: text }), repeat("ignore <a "), 50_000],
  ["a stream of events", readSse, repeat("data: x\n"), 200_000],
  ["one event in many pieces", readSse, repeat("x", "data: "), 400_000],
  ["one line in many pieces", readLines, repeat("x"), 400_000],
  ["JSON that was cut off", repairTruncatedJson, repeat('{"a":['), 20_000],
  ["a text of JSON that was cut off", repairTruncatedJson, repeat("\\u00e4", '{"a":"'), 100_000],
  ["JSON in another spelling", respellJson, repeat("a: 'b', ", "{", "}"), 50_000],
  ["labels of a ReACT text", parseReact, repeat("Thought: a\nAction: b\n"), 50_000],
  ["the input of a ReACT action", parseReact, repeat('{"a":', "Action: x\nAction Input: "), 20_000],
  ["a configuration in JSON", (text) => parseJson("a.json", text), repeat('"a",', "[", '"a"]'), 50_000],
  ["a configuration in YAML", (text) => parseYaml("a.yaml", text), repeat("- a\n"), 20_000],
  ["a version range", parseVersionRange, repeat(">=1.0.0 "), 20_000],
  ["a calendar", (text) => readCron(text, "UTC"), repeat("1,", "", "1 * * * *"), 10_000],
];

for (const [what, run, make, size] of rows)
  test(`${what}: twice the input takes twice the time`, () => assertLinear(run, make, size));

for (const [name, { type, fits }] of Object.entries(formats))
  test(`texts of format '${name}': twice the input takes twice the time`, { skip: type === "number" }, () => {
    for (const part of ["a", "a.", "a-", "%41", "1", "/a", "a@", ":"])
      assertLinear(fits as (text: string) => boolean, repeat(part, "http://", "\u0001"), 20_000);
  });

test("a table of Markdown has no more cells than its text (18)", () => {
  const text = `${"a|".repeat(2_000)}\n${"-|".repeat(2_000)}\n${"|\n".repeat(2_000)}`;
  const [table] = readMarkdown(text);
  assert.ok(table?.kind === "table" && table.rows.flat().length <= 2 * table.rows.length);
});

test("thirty references that double are refused by name, and no result is lost (security 3)", () => {
  const $defs: JsonObject = { d0: { type: "string" } };
  for (let at = 1; at <= 30; at++) {
    const $ref = `#/$defs/d${at - 1}`;
    $defs[`d${at}`] = { allOf: [{ $ref }, { $ref }] };
  }
  const schema = { $defs, $ref: "#/$defs/d30" };
  assert.match(checkSchema(schema, "x")[0]?.message ?? "", /cannot be checked within/);
  assert.match(checkOutput(schema, { content: [], structuredContent: "x" }).join(), /cannot be checked within/);
});

test("a reference to itself ends (security 3)", () => {
  assert.match(checkSchema({ $ref: "#" }, {})[0]?.message ?? "", /cannot be checked/);
  const deep = JSON.parse(`${"[".repeat(500)}${"]".repeat(500)}`) as Json;
  assert.deepEqual(checkSchema({ items: { $ref: "#" } }, deep), []);
});

test("of a million wrong items some are named (security 3)", () => {
  const problems = checkSchema({ items: { type: "string" } }, Array(300_000).fill(1));
  assert.ok(problems.length > 1 && problems.length <= 50);
});

test("a schema of many parts is ready before it is used up (security 3)", () => {
  const properties = Object.fromEntries(Array.from({ length: 15_000 }, (_, at) => [`p${at}`, { type: "string" }]));
  assert.equal(checkSchema({ properties }, { p7: 1 }).length, 1);
  const more = Object.fromEntries(Array.from({ length: 25_000 }, (_, at) => [`p${at}`, { type: "string" }]));
  assert.throws(() => checkSchema({ properties: more }, {}), { code: "PROVIDER_FAILED", message: /20000 parts/ });
});

test("what no linear engine knows is asked where it ends soon, else left and told (faults 2)", () => {
  const warnings: string[] = [];
  const password = { pattern: "^(?=.*[A-Z])(?=.*\\d).{8,}$" };
  assert.equal(checkSchema(password, "password", warnings).length, 1);
  assert.deepEqual(checkSchema(password, "Passw0rd", warnings), []);
  assert.deepEqual(warnings, []);
  const repeated = { pattern: "^(a+)+\\1$" };
  assert.deepEqual(checkSchema(repeated, `${"a".repeat(40)}!`, warnings), []);
  assert.match(warnings.join(), /pattern .* of its input schema was not checked/);
});

test("a pattern for names of arguments is never run where it might take long (faults 2)", () => {
  const parameters = { patternProperties: { "^(a+)+$": {} }, additionalProperties: false };
  const tool = { parameters, reserved: [], injects: [] } as unknown as Tool;
  const name = `${"a".repeat(100_000)}!`;
  assert.deepEqual(keepDeclared(tool, { [name]: 1 }).dropped, []);
  assert.equal(checkSchema(parameters, { [name]: 1 }).length, 1);
});

test("the engine that goes back is not asked where it might start again at each character (security 3)", () => {
  for (const pattern of ["a+b", "a*b", "a{1,}b", "a{0,60}b+", "^a*a*b", "^a+a+b"])
    for (const length of [2_000, 10_000, 100_000])
      assert.equal(createSafePattern(pattern)?.steps(length), Number.POSITIVE_INFINITY, `${pattern} ${length}`);
  assert.equal(createSafePattern("^a+b")?.test("a".repeat(10_000)), false);
});

test("both engines find the same where both may be asked", () => {
  for (const pattern of ["^[a-z]+(-[a-z]+)*$", "\\bab\\b", "^\\u0041", "(x|y){2,3}$", "^[^/]+/[^/]+$", "^\\S+@\\S+$"])
    for (const text of ["a-b", "ab ab", "A", "xyx", "a/b", "a@b", "", "-"]) {
      const long = createMatcher(`(?:${pattern}){1}`);
      assert.equal(long?.test(text), new RegExp(pattern).test(text), `${pattern} ${text}`);
    }
});

test("a body that is nested too deeply, or full of long numbers, is refused by name (security 2)", () => {
  const deep = `{"arguments":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  assert.throws(() => parseBody(deep, "{}"), { code: "USAGE", message: /nested too deeply/ });
  const long = `{"arguments":[${Array(20_000).fill("9007199254740993").join()}]}`;
  assert.throws(() => parseBody(long, "{}"), { code: "USAGE", message: /more than 10000 numbers/ });
});

test("what would hold the loop is refused by name before it is read, on the wire of clients and of servers (18)", () => {
  const names = Array.from({ length: 60_000 }, (_, at) => `"k${at}":1`).join();
  const values: [value: string, says: RegExp][] = [
    [`{${names}}`, /more than 25000 names/],
    [`[${Array.from({ length: 60_000 }, (_, at) => `{"k${at}":1}`).join()}]`, /more than 25000 names/],
    [`[${"1,".repeat(500_000)}1]`, /more than [14]00000 values/],
    [`${"[".repeat(500_000)}${"]".repeat(500_000)}`, /nested too deeply/],
    ["9".repeat(500_000), /a number of more than 1000 digits/],
  ];
  for (const [value, says] of values) {
    const asked = parseRequest(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"a":${value}}}}`,
    );
    assert.match("wrong" in asked ? (asked.wrong ?? "") : "", says);
    const answered = parseAnswer(`{"jsonrpc":"2.0","id":7,"result":{"content":[],"_meta":{"a":${value}}}}`);
    const { id, error } = answered as { id: number; error: { message: string } };
    assert.equal(id, 7);
    assert.match(error.message, says);
    assert.throws(() => parseBody(`{"arguments":{"a":${value}}}`, "{}"), { code: "USAGE", message: says });
  }
  const batch = `[${Array(1_001).fill('{"jsonrpc":"2.0","id":1,"method":"ping"}').join()}]`;
  const asked = parseRequest(batch);
  assert.match("wrong" in asked ? (asked.wrong ?? "") : "", /1000 messages at most/);
});

test("what a server says in an error or as progress is cut, and its result is not (18)", () => {
  const long = "password=hunter2 ".repeat(10_000);
  const { error } = parseAnswer(
    JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: 1, message: long, data: long } }),
  ) as {
    error: { message: string; data: unknown };
  };
  assert.ok(error.message.length < 40_000);
  assert.ok(JSON.stringify(error.data).length < 40_000);
  const result = { content: [{ type: "text", text: long }] };
  assert.deepEqual(parseAnswer(JSON.stringify({ jsonrpc: "2.0", id: 1, result })), { jsonrpc: "2.0", id: 1, result });
});

test("the arguments of a long message are passed on as they are written, and no others (18)", () => {
  const filler = "x".repeat(100_000);
  const real = `{"a": 1.0,"b":"é${filler}"}`;
  const fake = `{"a":2,"b":"${filler}"}`;
  const asked = parseRequest(
    `{"arguments":${fake},"jsonrpc":"2.0","id":1,"method":"tools/call","x":{"arguments":${fake}},"params":{"name":"a","_meta":{"arguments":${fake}},"arguments":${real}, "more":[]}}`,
  ) as { message: { params: { arguments: object } } };
  assert.equal(textOf(asked.message.params.arguments), real);
  const body = parseBody(`{"params":{"arguments":${fake}},"arguments" : ${real} ,"x":1}`, "{}");
  assert.equal(textOf(body.arguments as object)?.trim(), real);
  const answer = (rest: string) => parseAnswer(`{"jsonrpc":"2.0","id":1,"result":${real}${rest}}`);
  assert.equal(textOf((answer("") as { result: object }).result), real);
  for (const rest of [`,"result":${fake}`, ',"x":"é"', ',"x":[{}]'])
    assert.notEqual(textOf((answer(rest) as { result: object }).result), `${real}${rest}`);
});
