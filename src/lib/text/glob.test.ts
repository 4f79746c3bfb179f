import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../../test/samples/texts.ts";
import { matchesGlob, passesFilter } from "./glob.ts";

const examples: [pattern: string, text: string, matches: boolean][] = [
  ["echo", "echo", true],
  ["echo", "Echo", false],
  ["echo", "echo_all", false],
  ["", "", true],
  ["", "a", false],
  ["*", "", true],
  ["*", "anything.at all", true],
  ["?", "", false],
  ["?", "a", true],
  ["git.*", "git.status", true],
  ["git.*", "gitxstatus", false],
  ["*_note", "write_note", true],
  ["*_note", "write_notes", false],
  ["*a*b*", "xaxxbx", true],
  ["*aab", "aaaab", true],
  ["a**b", "ab", true],
  ["[a-z]+(x)", "[a-z]+(x)", true],
  ["[a-z]", "b", false],
  ["a\\*", "a\\b", true],
];

for (const [pattern, text, expected] of examples) {
  test(`'${pattern}' ${expected ? "matches" : "does not match"} '${text}'`, () => {
    assert.equal(matchesGlob(pattern, text), expected);
  });
}

/** The same by way of a regular expression. */
function reference(pattern: string, text: string): boolean {
  const source = [...pattern].map((character) => {
    if (character === "*") return "[^]*";
    return character === "?" ? "[^]" : character.replace(/[\\^$.|+()[\]{}/]/, "\\$&");
  });
  return new RegExp(`^${source.join("")}$`).test(text);
}

test("a glob agrees with a regular expression on every pattern and text", () => {
  const word = (alphabet: string) =>
    fc.string({ unit: fc.constantFrom(...alphabet), minLength: 0, maxLength: 8 });
  fc.assert(
    fc.property(word("aab.*?\n^"), word("aab.*\n^"), (pattern, text) => {
      assert.equal(matchesGlob(pattern, text), reference(pattern, text));
    }),
    { numRuns: 1000 },
  );
});

test("a text without wildcards matches itself only", () => {
  const plain = fc.string({ unit: anyCharacter }).filter((text) => !/[*?]/.test(text));
  fc.assert(
    fc.property(plain, plain, (pattern, text) => {
      assert.equal(matchesGlob(pattern, text), pattern === text);
      assert.equal(matchesGlob(pattern, pattern), true);
    }),
  );
});

const filters: [allow: string[] | null, deny: string[] | null, passes: boolean, why: string][] = [
  [null, null, true, "without filters everything passes"],
  [[], null, false, "an empty allow list lets nothing through"],
  [null, [], true, "an empty deny list denies nothing"],
  [["git_*"], null, true, "an allowed glob passes"],
  [["file_*"], null, false, "what no allowed glob matches stays out"],
  [null, ["*_push"], false, "a denied glob stays out"],
  [["git_push"], ["git_*"], false, "a denial wins over a more exact permission"],
  [["file_*", "git_push"], ["file_*"], true, "one of several allowed globs is enough"],
];

for (const [allow, deny, expected, why] of filters) {
  test(why, () => assert.equal(passesFilter("git_push", allow, deny), expected));
}
