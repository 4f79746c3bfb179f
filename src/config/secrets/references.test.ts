import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cases } from "../../../test/fixtures/tier.ts";
import { growthOf, maxGrowth } from "../../../test/samples/growth.ts";
import { escapeSecrets, findReferences, splitReferences, splitSecrets } from "./references.ts";

const examples: [
  text: string,
  ...found: [kind: string, name: string, fallback: string | null][],
][] = [
  ["plain $USER $ {x} $"],
  ["${USER}", ["env", "USER", null]],
  ["a${_x9}b${Y:-}", ["env", "_x9", null], ["env", "Y", ""]],
  ["${A:-b:-c}", ["env", "A", "b:-c"]],
  ["${A:-${B}}", ["env", "A", "${B"]],
  ["${file:/run/secrets/a b}", ["file", "/run/secrets/a b", null]],
  ["${file:C:\\x}", ["file", "C:\\x", null]],
  ["${command:pass show 'a b'}", ["command", "pass show 'a b'", null]],
  ["Bearer ${keychain:github/ada}", ["keychain", "github/ada", null]],
  ["${file} ${file:-x}", ["env", "file", null], ["env", "file", "x"]],
  ["${} ${1X} ${A-b} ${file:} ${other:x} ${A"],
  ["$${A} $$$${A}"],
  ["$$${A}", ["env", "A", null]],
  ["${1${A}", ["env", "A", null]],
];

for (const [text, ...found] of examples) {
  test(`'${text}' refers to ${found.map(([kind, name]) => `${kind} ${name}`).join(" and ") || "nothing"}`, () => {
    const references = findReferences(text);
    assert.deepEqual(
      references.map(({ kind, name, fallback }) => [kind, name, fallback]),
      found,
    );
    for (const { start, text: written } of references) {
      assert.equal(text.slice(start, start + written.length), written);
    }
  });
}

for (const [text, says] of [
  ["$${A}", "${A}"],
  ["$${", "${"],
  ["$$${A}", "$<A>"],
  ["$$$${A}", "$${A}"],
  ["$$ $ $$x", "$$ $ $$x"],
  ["${1X}${}", "${1X}${}"],
] as const) {
  test(`'${text}' says '${says}'`, () => {
    const parts = splitReferences(text).map((part) =>
      typeof part === "string" ? part : `<${part.name}>`,
    );
    assert.equal(parts.join(""), says);
  });
}

const noise = fc.array(
  fc.constantFrom(
    "$",
    "{",
    "}",
    "file:",
    "command:",
    "a",
    ":-",
    "-",
    "${file:x}",
    "$${keychain:",
    "{A}",
  ),
);

test("what is escaped says what it said, before a reference too", () => {
  fc.assert(
    fc.property(noise, fc.constantFrom("", "${file:end}"), (units, end) => {
      const text = units.join("");
      const parts = splitSecrets(escapeSecrets(text, end !== "") + end);
      assert.deepEqual(
        parts.filter((part) => typeof part !== "string").map((part) => part.text),
        end === "" ? [] : [end],
      );
      assert.equal(parts.map((part) => (typeof part === "string" ? part : "")).join(""), text);
    }),
    { numRuns: cases(2000) },
  );
});

for (const unit of ["$", "${", "${A:-", "${file:", "${1}", "$${A}", "}${A"]) {
  test(`many characters of '${unit}' take no longer than their number`, () => {
    const growth = growthOf((size) => {
      const text = unit.repeat(size / unit.length);
      escapeSecrets(text, true);
      findReferences(text);
    }, 60_000);
    assert.ok(growth < maxGrowth, `eight times as much took ${growth} times as long`);
  });
}
