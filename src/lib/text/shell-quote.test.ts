import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../../test/samples/texts.ts";
import { shellQuote } from "./shell.ts";

const cases: [text: string, quoted: string][] = [
  ["demo.greet", "demo.greet"],
  ["a/b-c:1", "a/b-c:1"],
  ["", "''"],
  ["-x", "'-x'"],
  ["a b", "'a b'"],
  ["it's", "'it'\\''s'"],
  ["$(id)`id`", "'$(id)`id`'"],
  ["~", "'~'"],
];

for (const [text, quoted] of cases) {
  test(`${JSON.stringify(text)} is quoted as ${quoted}`, () =>
    assert.equal(shellQuote(text), quoted));
}

test("bash gets back whatever was quoted", () => {
  const text = fc
    .string({ unit: anyCharacter, maxLength: 40 })
    .map((one) => one.replaceAll("\0", ""));
  const awkward = fc.string({
    unit: fc.constantFrom("'", '"', "$", "`", "\\", "\n", "-", "!", "*", "~", " ", "a"),
  });
  const texts = fc.sample(fc.oneof(text, awkward), { numRuns: 500, seed: 8 });
  const said = execFileSync(
    "bash",
    ["--norc", "-c", `printf '%s\\0' ${texts.map(shellQuote).join(" ")}`],
    {
      encoding: "utf8",
    },
  );
  assert.deepEqual(said.split("\0").slice(0, -1), texts);
});
