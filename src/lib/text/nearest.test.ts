import assert from "node:assert/strict";
import { test } from "node:test";
import { didYouMean, nearest, suggestionOf } from "./nearest.ts";

const known = ["git.status", "dis", "git.push", "notes.write", "notes__read", "echo"];

const cases: [word: string, found: string[], why: string][] = [
  ["gti.status", ["git.status"], "two letters that changed places"],
  ["stauts", ["git.status"], "the bare name of a tool, mistyped"],
  ["GIT.STATUS", ["git.status"], "another case"],
  ["ehco", ["echo"], "a short word"],
  ["reed", ["notes__read"], "the part after a double underscore"],
  ["writ", ["notes.write"], "the beginning of a word"],
  ["nix", [], "a short word of which two letters are wrong"],
  ["completely-else", [], "nothing near"],
];

for (const [word, found, why] of cases) {
  test(`'${word}' finds ${JSON.stringify(found)}: ${why}`, () => {
    assert.deepEqual(nearest(word, known, found.length || 3), found);
  });
}

test("the nearest comes first, equals in the order of the alphabet", () => {
  assert.deepEqual(nearest("list_fils", ["list_filx", "list_files", "list_film"]), [
    "list_files",
    "list_film",
    "list_filx",
  ]);
});

test("a candidate of one word is compared as a whole", () => {
  assert.deepEqual(nearest("bcd", ["zbcd", "bcde"]), ["bcde", "zbcd"]);
});

test("no more are named than asked for, and none twice", () => {
  assert.equal(nearest("aaaa", ["aaab", "aaac", "aaad", "aaae"]).length, 3);
  assert.deepEqual(nearest("aaaa", ["aaab", "aaab"]), ["aaab"]);
});

test("what is near is asked about, and else the other words stand", () => {
  assert.equal(didYouMean(["a", "b"], "Look."), "Did you mean 'a' or 'b'?");
  assert.equal(didYouMean([], "Look."), "Look.");
  assert.equal(suggestionOf(["a"]), " Did you mean 'a'?");
  assert.equal(suggestionOf([]), "");
});
