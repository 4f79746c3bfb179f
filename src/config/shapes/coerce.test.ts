import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  secondsToMs,
  splitCommas,
  splitShellWords,
  splitSpaces,
  toBoolean,
  toNumber,
} from "./coerce.ts";

const booleans: [written: unknown, read: unknown][] = [
  ...["1", "true", "yes", "on", "TRUE", " Yes ", 1, true].map((value): [unknown, unknown] => [
    value,
    true,
  ]),
  ...["0", "false", "no", "off", "OFF", 0, false].map((value): [unknown, unknown] => [
    value,
    false,
  ]),
  ["maybe", "maybe"],
  [2, 2],
  [null, null],
];

for (const [written, read] of booleans) {
  test(`${JSON.stringify(written)} as a boolean is ${JSON.stringify(read)}`, () => {
    assert.equal(toBoolean(written), read);
  });
}

const numbers: [written: unknown, read: unknown, ms: number | undefined][] = [
  [3, 3, 3_000],
  ["3", 3, 3_000],
  [" 0.25 ", 0.25, 250],
  [0, 0, 0],
  [-1, -1, undefined],
  ["", "", undefined],
  ["soon", "soon", undefined],
  ["Infinity", "Infinity", undefined],
  [Number.NaN, Number.NaN, undefined],
  [null, null, undefined],
];

for (const [written, read, ms] of numbers) {
  test(`${JSON.stringify(written)} as a number is ${read}, as seconds ${ms} ms`, () => {
    assert.equal(toNumber(written), read);
    assert.equal(secondsToMs(written), ms);
  });
}

const lines: [line: string, words: string[]][] = [
  ["", []],
  ["  a  b ", ["a", "b"]],
  ["-y 'two words' \"and three more\"", ["-y", "two words", "and three more"]],
  ["--name=\"x y\"'z'w", ["--name=x yzw"]],
  ["a\\ b \\'", ["a b", "'"]],
  ['"a \\"b\\" \\n"', ['a "b" \\n']],
  ["'it\\s'", ["it\\s"]],
  ["'' \"\"", ["", ""]],
  ["'open", ["open"]],
  ['"open', ["open"]],
  ["end\\", ["end\\"]],
  ["a\nb\tc", ["a", "b", "c"]],
];

for (const [line, words] of lines) {
  test(`${JSON.stringify(line)} splits into ${JSON.stringify(words)}`, () => {
    assert.deepEqual(splitShellWords(line), words);
  });
}

test("words that are quoted come back as they were", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (words) => {
      const line = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
      assert.deepEqual(splitShellWords(line), words);
    }),
  );
});

test("lists in a text are split at commas or spaces, and lists stay as they are", () => {
  assert.deepEqual(splitCommas(" a, b ,,c d "), ["a", "b", "c d"]);
  assert.deepEqual(splitSpaces("  a \n b"), ["a", "b"]);
  assert.deepEqual([splitCommas(["a,b"]), splitSpaces(["a b"])], [["a,b"], ["a b"]]);
});
