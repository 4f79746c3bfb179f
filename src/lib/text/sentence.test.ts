import assert from "node:assert/strict";
import { test } from "node:test";
import { sentence } from "./wording.ts";

for (const [text, ended] of [
  ["it died", "it died."],
  ["it died.", "it died."],
  ["is it running?", "is it running?"],
  ["it said …", "it said …"],
  ["exit code 1 (of 2)", "exit code 1 (of 2)."],
] as const) {
  test(`'${text}' ends with one mark`, () => assert.equal(sentence(text), ended));
}
