import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cases } from "../../../test/fixtures/tier.ts";
import { anyCharacter } from "../../../test/samples/texts.ts";
import { plainText } from "./plain-text.ts";

const examples: [title: string, text: string, plain: string][] = [
  ["colours", "\u001b[31mred\u001b[0m", "red"],
  ["a moved cursor", "safe\u001b[2K\u001b[1Grm -rf", "saferm -rf"],
  ["a window title that ends with a bell", "\u001b]0;owned\u0007text", "text"],
  ["a hyperlink", "\u001b]8;;https://example.com\u001b\\text\u001b]8;;\u001b\\", "text"],
  ["a C1 control sequence introducer", "\u009b31mred", "31mred"],
  ["backspace, bell and carriage return", "a\bb\u0007c\rd", "abcd"],
  ["an override of the direction", "user\u202etxt.exe", "usertxt.exe"],
  ["isolates and marks", "\u2066a\u2069\u200e\u200f\u061cb", "ab"],
  ["characters without a width", "pass\u200bword\ufeff", "password"],
  ["joiners that join nothing", "a\u200cb \u200d\u200c\u200d", "ab "],
  ["invisible tags", "hi\u{e0041}\u{e007f}", "hi"],
];

for (const [title, text, plain] of examples) {
  test(`${title} are taken out`, () => assert.equal(plainText(text), plain));
}

test("lines, tabs, accents, other scripts and emoji stay", () => {
  const text = "línea 1\n\tΣίσυφος 日本語 עברית العربية می‌خواهم 👍🏽 👩‍💻";
  assert.equal(plainText(text), text);
});

test("no control and no direction-changing character survives", () => {
  const harmful = /(?![\n\t])\p{Cc}|\p{Bidi_Control}/u;
  const risky = fc.constantFrom(
    ..."\u001b\u009b[];m0\u0007\\\u202e\u2066\u061c\u0000\u007f\u0085a\n",
  );
  const unit = fc.oneof(risky, anyCharacter);
  fc.assert(
    fc.property(fc.string({ unit }), (text) => {
      const plain = plainText(text);
      assert.doesNotMatch(plain, harmful);
      assert.equal(plainText(plain), plain);
    }),
    { numRuns: cases(1000) },
  );
});
