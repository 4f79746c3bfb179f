import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { splitCommand } from "./read-secret.ts";

const cases: [text: string, words: string[] | null][] = [
  ["pass show token", ["pass", "show", "token"]],
  ["  pass \t show\n", ["pass", "show"]],
  ["", []],
  [`pass 'a b' "c d"`, ["pass", "a b", "c d"]],
  [`a'b'"c"d`, ["abcd"]],
  [`a '' ""`, ["a", "", ""]],
  [`'it"s' "it's"`, ['it"s', "it's"]],
  [`a\\ b "c\\"d" e\\\\f`, ["a b", 'c"d', "e\\f"]],
  [`'a\\'`, ["a\\"]],
  ["C:\\tools\\op.exe read x", ["C:\\tools\\op.exe", "read", "x"]],
  ["a; rm -rf $HOME | `b` > c &", ["a;", "rm", "-rf", "$HOME", "|", "`b`", ">", "c", "&"]],
  ["a\\", ["a\\"]],
  ["a 'b", null],
  ['a "b\\"', null],
];

for (const [text, words] of cases) {
  test(`${JSON.stringify(text)} is ${words === null ? "not closed" : JSON.stringify(words)}`, () =>
    assert.deepEqual(splitCommand(text), words));
}

test("words in single quotes come out as they went in", () => {
  const word = fc.string().map((text) => text.replaceAll("'", ""));
  fc.assert(
    fc.property(fc.array(word), (words) => {
      assert.deepEqual(splitCommand(words.map((text) => `'${text}'`).join(" ")), words);
    }),
  );
});
