import assert from "node:assert/strict";
import { test } from "node:test";
import { cutText, sliceText, withoutLastWord } from "./cut-text.ts";

test("short text is given whole", () => assert.equal(cutText("abc", 3), "abc"));

test("long text ends with a line, or else with a word, or else where it has to", () => {
  assert.equal(cutText("one two\nthree four five", 14), "one two\n");
  assert.equal(cutText("one two three", 9), "one two ");
  assert.equal(cutText("a".repeat(20), 5), "aaaaa");
});

test("no character is cut in half", () => {
  assert.equal(cutText("ab🚀cd", 3), "ab");
  assert.equal(sliceText("ab🚀cd", 2, 3), "");
  assert.equal(sliceText("ab🚀cd", 2, 4), "🚀");
});

test("a word at the end goes, as far as a secret is long", () => {
  assert.equal(withoutLastWord("token sk-12"), "token ");
  assert.equal(withoutLastWord("token "), "token ");
  assert.equal(withoutLastWord("a".repeat(300)), "a".repeat(44));
});
