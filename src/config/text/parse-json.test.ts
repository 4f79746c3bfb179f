import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cases } from "../../../test/fixtures/tier.ts";
import { anyCharacter } from "../../../test/samples/texts.ts";
import { renderConfigProblem } from "../../model/config/config.ts";
import { parseJson } from "./read-document.ts";

function parsed(text: string) {
  const { document, problems } = parseJson("config.json", text);
  if (document === null) return assert.fail(problems.map(({ message }) => message).join("; "));
  return { ...document, problems };
}

test("comments and trailing commas are no problem", () => {
  const { data, problems } = parsed('// servers\n{ "a": [1, 2,], /* b */ "c": null, }\n');
  assert.deepEqual([JSON.stringify(data), problems], ['{"a":[1,2],"c":null}', []]);
});

test("every value knows the line of its key or its place in a list", () => {
  const text = '{\n"servers": {\n"a": { "command": "x" },\n"b": {\n"args":\n[\n"1",\n2\n]}}}';
  for (const end of ["\n", "\r\n"]) {
    const { lineOf } = parsed(text.replaceAll("\n", end));
    const paths = [["servers"], ["servers", "a", "command"], ["servers", "b", "args"]];
    assert.deepEqual(paths.map(lineOf), [2, 3, 5]);
    assert.deepEqual(
      [0, 1].map((at) => lineOf(["servers", "b", "args", at])),
      [7, 8],
    );
  }
});

test("what is not there has the line of what would hold it", () => {
  const { lineOf } = parsed('// first\n{\n"servers": {\n"a": {}, "list": [1]\n}}');
  const missing = [["servers", "a", "env", "X"], ["servers", "list", 7], ["other"], []];
  assert.deepEqual(missing.map(lineOf), [4, 4, 2, 2]);
});

const broken: [title: string, text: string, line: number, says: RegExp][] = [
  ["a missing comma", '{\n"a": 1\n"b": 2}', 3, /a comma is missing/],
  ["an open brace", '{\n"a": 1', 2, /a closing '}' is missing/],
  ["an open bracket", '{\n"a": [1}', 2, /missing/],
  ["an empty file", "", 1, /the file is empty/],
  ["a file of comments", "// nothing\n", 1, /the file is empty/],
  ["single quotes", "{\n\n'a': 1}", 3, /a word or character that is not allowed here/],
  ["an open quote", '{\n"a": "x\n}', 2, /a string has no closing quote/],
  ["an open comment", '{}\n/* "a"', 2, /a comment is not closed/],
  ["a second value", "{}\n\n{}", 3, /there is text after the end/],
  ["a control character", '\n["\u0001"]', 2, /a control character in a string/],
  ["an unknown escape", '["\\x"]', 1, /a backslash before a character that cannot be escaped/],
  ["a missing colon", '{\n"a" 1}', 2, /a colon is missing after a key/],
];

for (const [title, text, line, says] of broken) {
  test(`${title} is a problem with its line`, () => {
    const { document, problems } = parseJson("config.json", text);
    assert.equal(document, null);
    assert.deepEqual(problems.map(({ file, severity, line }) => [file, severity, line]).at(0), [
      "config.json",
      "error",
      line,
    ]);
    assert.match(problems[0]?.message ?? "", says);
    assert.match(problems[0]?.hint ?? "", /\.$/);
  });
}

test("all errors of a file are reported, one for each line", () => {
  const { problems } = parseJson("f", '{\n\'a\': 1,\n"b" 2,\n"c": 3,\n"d": tru\n}');
  assert.deepEqual(
    problems.map(({ line }) => line),
    [2, 3, 5],
  );
});

test("of very many errors the first twenty are reported", () => {
  const { problems } = parseJson("f", "[\n?,".repeat(1) + "\n?,".repeat(100_000));
  assert.equal(problems.length, 20);
});

test("a key given twice is a warning with both lines, and the last one counts", () => {
  const { data, lineOf, problems } = parsed('{\n"servers": {\n"a": { "x": 1 },\n"a": 2\n}}');
  assert.equal(JSON.stringify(data), '{"servers":{"a":2}}');
  assert.equal(lineOf(["servers", "a"]), 4);
  assert.deepEqual(
    problems.map(({ severity, line, path, message }) => [severity, line, path, message]),
    [["warning", 4, "servers.a", "'a' is given twice, on lines 3 and 4; the last one counts"]],
  );
});

test("a file of nothing but one key gives no more than twenty warnings", () => {
  const { problems } = parsed(`{${'"a":1,'.repeat(10_000)}}`);
  assert.equal(problems.length, 20);
});

test("a key named __proto__ is just a key", () => {
  const { data } = parsed('{"__proto__": {"polluted": true}, "constructor": 1}');
  assert.deepEqual(Object.keys(data as object), ["__proto__", "constructor"]);
  assert.equal(Object.getPrototypeOf(data), null);
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
});

for (const [title, unit] of [
  ["brackets", "["],
  ["objects", '{"a":'],
  ["broken objects", '{],\n"a":'],
] as const) {
  test(`a hundred thousand nested ${title} are a problem and no crash`, () => {
    const { document, problems } = parseJson("f", unit.repeat(100_000));
    assert.equal(document, null);
    assert.ok(problems.length <= 20);
    if (title !== "broken objects")
      assert.equal(problems[0]?.message, "nested deeper than 200 levels");
  });
}

test("two hundred levels are fine, and one more is not", () => {
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  assert.equal(JSON.stringify(parsed(nested(200)).data), nested(200));
  assert.equal(parseJson("f", nested(201)).document, null);
});

/** The line of every key and item in a print that gives each of them a line of its own. */
function linesOf(value: unknown, path: (string | number)[], lines: Map<string, number>): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const inside = [...path, Array.isArray(value) ? Number(key) : key];
    lines.set(JSON.stringify(inside), lines.size);
    linesOf(inner, inside, lines);
    // The line of the closing bracket.
    if (typeof inner === "object" && inner !== null && Object.keys(inner).length > 0) {
      lines.set(`${JSON.stringify(inside)} end`, lines.size);
    }
  }
}

test("any JSON gives what JSON.parse gives, and every key the line it stands on", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom("\n", "\r\n"), (value, end) => {
      const text = JSON.stringify(value, null, 1);
      const { data, lineOf, problems } = parsed(text.replaceAll("\n", end));
      assert.equal(JSON.stringify(data), JSON.stringify(JSON.parse(text)));
      assert.deepEqual(problems, []);
      const lines = new Map<string, number>([["[]", 0]]);
      linesOf(JSON.parse(text), [], lines);
      for (const [path, line] of lines) {
        if (!path.endsWith(" end"))
          assert.equal(lineOf(JSON.parse(path)), line + 1, `${path} in ${text}`);
      }
    }),
  );
});

const noise = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'{}[]",:\\ tru1e-.\n/*_ab😀') }),
  fc.string({ unit: anyCharacter }),
);

test("any text at all gives a document or an error, and never throws", () => {
  fc.assert(
    fc.property(noise, (text) => {
      const { document, problems } = parseJson("f", text);
      assert.equal(
        problems.some(({ severity }) => severity === "error"),
        document === null,
      );
      for (const { line } of problems) assert.ok(line !== null && line >= 1);
    }),
    { numRuns: cases(1000) },
  );
});

test("a problem names line and column, what is wrong and what to do", () => {
  const [problem] = parseJson("config.json", '{\n  "a": 1\n  "b": 2\n}').problems;
  assert.ok(problem);
  assert.equal(
    renderConfigProblem(problem),
    "config.json:3:3: invalid JSON: a comma is missing before this. Put a comma between two entries; comments and a comma after the last one are allowed.",
  );
});
