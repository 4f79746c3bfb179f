import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../../test/samples/texts.ts";
import { parseLenientJson } from "./lenient-json.ts";

const cases: [text: string, value: unknown, changes: string[]][] = [
  ["{'a': 'b'}", { a: "b" }, ["single quotes"]],
  ["{'a': 'it\\'s \"so\"'}", { a: 'it\'s "so"' }, ["single quotes"]],
  ["{“a”: “it's”}", { a: "it's" }, ["curly quotes"]],
  ['{"a": [1, 2,], }', { a: [1, 2] }, ["a comma too many"]],
  [
    '{"a": True, "b": None, "c": [False]}',
    { a: true, b: null, c: [false] },
    ["'True'", "'None'", "'False'"],
  ],
];

for (const [text, value, changes] of cases)
  test(`${text} can be read in one way`, () => {
    const read = parseLenientJson(text);
    assert.ok(read.text !== null);
    assert.deepEqual([JSON.parse(read.text), read.changes], [value, changes]);
  });

const broken: [text: string, at: number, isEnd: boolean][] = [
  ["{'a': 'it's, so'}", 10, false],
  ['{"a": "b', 8, true],
  ['{"a": 1', 7, true],
  ['{"a": 12x}', 6, false],
  ['{"a": 1 "b": 2}', 8, false],
  ["{a: 1}", 1, false],
  ['{"a": nul', 6, false],
  ['{"a": 1} more', 9, false],
  ['{"a": ,}', 6, false],
  ["{,}", 1, false],
  ["hello", 0, false],
];

for (const [text, at, isEnd] of broken)
  test(`${text} is not read, and it is reported where`, () => {
    assert.deepEqual(parseLenientJson(text), { text: null, at, line: 1, column: at + 1, isEnd });
  });

test("the place of a mistake is reported by line and column", () => {
  const { line, column } = parseLenientJson('{\n  "a": oops\n}') as {
    line: number;
    column: number;
  };
  assert.deepEqual([line, column], [2, 8]);
});

test("JSON stays what it is, cut JSON is never read, and no text makes it throw", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue()),
      fc.nat(),
      (value, place) => {
        const whole = JSON.stringify(value);
        const { text, changes } = parseLenientJson(whole) as { text: string; changes: string[] };
        assert.deepEqual([JSON.parse(text), changes], [JSON.parse(whole), []]);
        assert.equal(parseLenientJson(whole.slice(0, place % whole.length)).text, null);
      },
    ),
  );
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(..."{}[]\",:\\ Tru1e-.\n“”'") }),
      (text) => void parseLenientJson(text),
    ),
  );
  assert.equal(parseLenientJson("[".repeat(200_000)).text, null);
});
