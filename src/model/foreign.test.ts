import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cases } from "../../test/fixtures/tier.ts";
import { expandEnvironment, splitReferences } from "../config/secrets/references.ts";
import { resolveSecrets } from "../config/secrets/resolve-secrets.ts";
import { createEgress } from "../lib/net/egress.ts";
import {
  asAddress,
  asMatch,
  asName,
  asOneOf,
  asShown,
  asVariable,
  asWord,
  fieldOf,
  findSecretReference,
  foreign,
  foreignTextOf,
  type NameKind,
  type Piece,
  rewriteTexts,
  splitAt,
  urlOf,
  withoutQuery,
  writeText,
} from "./foreign.ts";

/** Rich in what references are made of. */
const dollars = fc.array(
  fc.constantFrom(
    "$",
    "$$",
    "{",
    "}",
    "{A}",
    "${",
    "command:",
    "{command:touch x}",
    "file:",
    ":-",
    "A",
    " ",
    "x",
  ),
  { maxLength: 8 },
);
const text = dollars.map((parts) => parts.join(""));

test("a text in pieces says what its pieces say, and refers to nothing but its variables", async () => {
  const pieces = fc
    .array(fc.tuple(text, fc.boolean()), { maxLength: 6 })
    .chain((parts) =>
      fc.tuple(
        fc.constant(parts.map(([one, isVariable]) => (isVariable ? "value" : one)).join("")),
        fc.constant(
          parts.map(([one, isVariable]): Piece => (isVariable ? { variable: "A" } : foreign(one))),
        ),
      ),
    );
  await fc.assert(
    fc.asyncProperty(pieces, async ([said, given]) => {
      const written = writeText(given);
      const references = splitReferences(written).filter((part) => typeof part !== "string");
      assert.ok(references.every(({ text: one }) => one === "${A}"));
      const expanded = expandEnvironment(written, { A: "value" }, () => assert.fail("all are set"));
      assert.equal(await resolveSecrets(String(expanded), { directory: "/nowhere" }), said);
    }),
    { numRuns: cases(5_000) },
  );
});

test("a reference is one reference", () => {
  assert.equal(writeText(["$", { reference: "${file:a}" }]), "$$${file:a}");
  for (const reference of ["", "${}", "${A} ${B}", "${A:-}}", "x${A}"])
    assert.throws(() => writeText([{ reference }]), /not one reference/);
});

test("references to programs and secrets are found at any depth, also in names", () => {
  const deep = { a: [{ b: { "x${Command:id}": 1 } }] };
  assert.equal(findSecretReference(foreign(deep)), "command");
  assert.equal(findSecretReference(foreign(["${ file :a}"])), "file");
  assert.equal(findSecretReference(foreign({ a: "${HOME}", b: "command:x" })), null);
  const nested = JSON.parse(
    `${"[".repeat(50_000)}"\${keychain:a/b}"${"]".repeat(50_000)}`,
  ) as unknown;
  assert.equal(findSecretReference(foreign(nested)), "keychain");
});

const named: [kind: NameKind, good: string[], bad: unknown[]][] = [
  ["server", ["io.github.a/b-c"], ["a/b", "io.a/b/c", "io.a/b@1", "${A}.x/y", 1]],
  [
    "version",
    ["1.0.0", "2026.01.02-beta+1", "v1"],
    ["", "-1", "a b", "file:x", "https://x/y.tgz", "$1", undefined],
  ],
  ["npm", ["@a/b", "a.b_c~d"], ["--eval", "a b", "a@npm:b", "https://x", "../x", "@a/b/c"]],
  ["pypi", ["mcp-server-git"], ["-r", "a b", "git+https://x", "a[b]"]],
  [
    "image",
    ["a", "host.example:5000/a/b:1.2", `a@sha256:${"0".repeat(64)}`],
    ["-a", "a b", "a:1:2", "${A}", "a@sha256:1"],
  ],
  ["variable", ["A", "a_B.c-d"], ["1A", "A=B", "A\nB", "A B", "${A}", ""]],
  ["header", ["X-Key"], ["X Key", "X:Y", "X\r\nY", ""]],
];
for (const [kind, good, bad] of named)
  test(`a name of the kind ${kind} is one, and nothing else is`, () => {
    for (const one of good) assert.equal(asName(foreign(one), kind), one);
    for (const one of bad) assert.equal(asName(foreign(one), kind), undefined, String(one));
  });

test("an address is one of HTTP without credentials, and comes with the gate that it has to pass", () => {
  const { stranger } = createEgress({ allow: () => [] });
  const url = urlOf(foreign("c?d#e"), new URL("https://a.example/b/")) ?? assert.fail("none");
  assert.deepEqual(asAddress(url, stranger), {
    url: new URL("https://a.example/b/c?d#e"),
    gate: stranger,
  });
  assert.equal(asAddress(withoutQuery(url), stranger).url.href, "https://a.example/b/c");
  assert.equal(asShown(url), "a.example");
  for (const wrong of [
    "ftp://a",
    "file:///etc/passwd",
    "https://u:p@a.example",
    "javascript:0",
    "data:,x",
    "http://",
  ])
    assert.equal(urlOf(foreign(wrong)), null, wrong);
});

test("what is looked into stays foreign, and what comes out is what it is judged as", () => {
  const value = foreign({ a: "x", __proto__: { b: "y" } });
  assert.equal(foreignTextOf(fieldOf(value, "toString")), undefined);
  assert.equal(foreignTextOf(fieldOf(value, "b")), undefined);
  assert.equal(asOneOf(fieldOf(value, "a"), ["x", "y"]), "x");
  assert.equal(asVariable(foreign("--data dir")), "DATA_DIR");
  assert.equal(asVariable(foreign("")), "_");
  assert.equal(asWord(foreign("a ${b}/c")), "a-b-c");
  assert.equal(asShown(foreign("a\u001b[31mb\u202e")), "ab");
  assert.equal(asMatch(foreign("ab"), /a/), null, "only as a whole");
  assert.equal(splitAt(foreign("a{b}c{d}"), /\{(\w)\}/g).length, 5);
  assert.deepEqual(
    rewriteTexts(foreign({ a: ["${A}", 1, true, null] }), (one) => writeText([one])),
    { a: ["$${A}", 1, true, null] },
  );
});
