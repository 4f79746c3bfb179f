import "../../lib/text/linear-pattern.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { createMatcher } from "../../lib/text/matcher.ts";
import { createSafePattern, isPattern } from "../../lib/text/safe-pattern.ts";
import { checkSchema } from "../schema-check.ts";

/** Valid with `u`, as JSON Schema reads patterns. */
const patterns = [
  "^\\p{L}[\\p{L}' -]*$",
  "^\\p{Lu}\\p{Ll}+$",
  "^\\P{L}+$",
  "^[^\\p{L}]+$",
  "^[^\\P{L}]+$",
  "^[\\P{L}\\d]+$",
  "^\\p{Letter}+$",
  "^\\p{Uppercase_Letter}",
  "^\\p{gc=Lu}",
  "^\\p{General_Category=Decimal_Number}+$",
  "^\\p{Script=Greek}+$",
  "^\\p{sc=Cyrillic}+$",
  "^[\\p{Script=Han}\\p{Script=Hiragana}]+$",
  "^\\p{Emoji}$",
  "^\\p{Emoji_Presentation}$",
  "^\\p{Extended_Pictographic}",
  "^\\p{Alphabetic}+$",
  "^\\p{White_Space}$",
  "^\\p{ASCII}+$",
  "^\\P{ASCII}+$",
  "^[\\p{ASCII}é]+$",
  "^\\p{Any}$",
  "^\\p{N}+$",
  "^\\p{Nd}{2,3}$",
  "\\p{P}",
  "^[\\p{L}\\p{M}\\p{N}_.-]+$",
  "^\\u{1F600}$",
  "^[\\u{1F600}-\\u{1F64F}]$",
  "^[^\\u{1F600}-\\u{1F64F}]$",
  "^\\u{41}$",
  "^\\u0041$",
  "^\\ud83d\\ude00$",
  "^[\\ud83d\\ude00]$",
  "^😀$",
  "^😀+$",
  "^[😀😎]{2}$",
  "^[^😀]$",
  "^.$",
  "^..$",
  "^.{1,2}$",
  "^[^a]$",
  "^[^]$",
  "^[]$",
  "^\\D$",
  "^\\W$",
  "^\\S$",
  "^\\s$",
  "^\\s+$",
  "^[\\s]$",
  "^[^\\s]$",
  "^[\\S\\n]$",
  "^\\w+$",
  "\\bmü",
  "^[\\W]$",
  "^[\\D]+$",
  "^[\\d\\-x]+$",
  "^[\\x41-\\x5a]+$",
  "^\\x41",
  "^\\cJ$",
  "^[\\b]$",
  "^\\0$",
  "^\\t|\\v|\\f$",
  "^\\/a\\/$",
  "^a\\{2\\}$",
  "^(?<first>\\p{L})-?$",
  "^(?:\\p{L}|\\d){3}$",
  "^(\\p{L}+ ?)+$",
  "^(?:[\\p{L}\\p{N}]+-?)*[\\p{L}\\p{N}]$",
  "^$",
  "",
  "a|",
  "^(?s:.)$",
  "^(?i:müller)$",
  "^(?i:\\w+)$",
  "^(?i:[a-z]+)$",
  "^(?i:[^a-z]+)$",
];

const texts = [
  "",
  "a",
  "A",
  "Smith",
  "Müller",
  "müller",
  "MÜLLER",
  "O'Neill-Żak",
  "Ελλάδα",
  "Москва",
  "東京",
  "とう",
  "é",
  "e\u0301",
  "😀",
  "😎😀",
  "👨‍👩‍👧",
  "𝒜",
  "12",
  "123",
  "٣٤",
  "½",
  " ",
  "\u00a0",
  "\u2028",
  "\ufeff",
  "\n",
  "\r",
  "\v",
  "\b",
  "\0",
  "\ud83d",
  "a-b",
  "ab1",
  "/a/",
  "a{2}",
  "x-1",
  "ſ",
  "K",
  "İ",
  "ß",
  "a b c",
];

test("a pattern fits a text exactly if it does for another validator", () => {
  const ajv = new Ajv2020({ strictTypes: false });
  for (const pattern of patterns) {
    const validate = ajv.compile({ pattern });
    for (const text of texts)
      assert.equal(
        checkSchema({ pattern }, text).length === 0,
        validate(text),
        `${pattern} ${JSON.stringify(text)}`,
      );
  }
});

test("the linear engine finds the same", () => {
  for (const pattern of patterns) {
    // A group that is repeated is never left to the engine that goes back.
    const repeated = `(?:${pattern}){1}`;
    assert.equal(createSafePattern(repeated)?.test("a"), undefined, repeated);
    const expected = new RegExp(pattern, "u");
    const linear = createMatcher(repeated);
    for (const text of texts)
      assert.equal(linear?.test(text), expected.test(text), `${pattern} ${JSON.stringify(text)}`);
  }
});

/** With `u` their escapes and brackets are errors. */
const older = [
  "^[\\w\\_]+\\@x$",
  "^\\-\\d$",
  "^a{,2}$",
  "^]$",
  "^}{$",
  "^[\\w-a]+$",
  "^\\u{2}\\_?$",
  "\\ä",
];
const olderTexts = ["a_\\@x", "a@x", "-1", "a{,2}", "]", "}{", "w-a", "uu", "ä", "", "a-", "😀"];

test("a pattern that is only valid without the flag is read without it, by both engines", () => {
  for (const pattern of older) {
    assert.equal(isPattern(pattern), true, pattern);
    const expected = new RegExp(pattern);
    for (const text of olderTexts) {
      const where = `${pattern} ${text}`;
      assert.equal(checkSchema({ pattern }, text).length === 0, expected.test(text), where);
      assert.equal(createMatcher(`(?:${pattern}){1}`)?.test(text), expected.test(text), where);
    }
  }
});

test("what is a pattern in neither way is none", () => {
  for (const pattern of ["(", "[z-a]", "a{2,1}", "*"]) assert.equal(isPattern(pattern), false);
  assert.equal(isPattern("[\\p{L}\\u{1F600}-\\u{1F64F}]"), true);
});
