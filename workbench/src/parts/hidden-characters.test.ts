import assert from "node:assert/strict";
import { test } from "node:test";
import { escapeHidden, hiddenCharacters, nameCharacter } from "./hidden-characters.ts";

const found = (text: string) =>
  [...text.matchAll(hiddenCharacters)].map(([one]) => nameCharacter(one));

test("what is not seen, or turns letters round, is found and named", () => {
  assert.deepEqual(found("a\u202ebc\u200b\u0007"), ["U+202E", "U+200B", "U+0007"]);
  assert.deepEqual(found("tag \u{e0041}"), ["U+E0041"]);
  assert.deepEqual(found("pass\u200dword"), ["U+200D"]);
});

test("what people write is left as it is", () => {
  for (const text of ["plain\n\ttext", "žluťoučký", "שלום", "می‌خواهم", "👩‍👩‍👧 and 👍🏽"])
    assert.deepEqual(found(text), [], text);
});

test("JSON with escapes is the same value", () => {
  const value = { "a\u202e": ["\u{e0041}", "b\u0007", "žluť"] };
  const text = escapeHidden(JSON.stringify(value, null, 2));
  assert.deepEqual(found(text), []);
  assert.deepEqual(JSON.parse(text), value);
});
