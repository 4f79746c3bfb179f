import assert from "node:assert/strict";
import { test } from "node:test";
import { isSteppingOut, readSkill, skillLimits } from "./skill-entry.ts";

const digest = `sha256:${"a".repeat(64)}`;
const own = { uri: "skill://team/refunds/SKILL.md", digest, size: 1 };
const skill = (more: object = {}) => ({
  uri: own.uri,
  frontmatter: { name: "refunds", description: "How to refund." },
  resources: [own],
  ...more,
});

test("a skill that keeps the rules is read as it is", () => {
  const plain = skill();
  assert.equal(readSkill(plain), plain);
  assert.ok(!("wrong" in readSkill(skill({ resources: "dynamic" }))));
  const most = Array.from({ length: skillLimits.files - 1 }, (_, at) => ({
    ...own,
    uri: `skill://team/refunds/${at}`,
  }));
  assert.ok(!("wrong" in readSkill(skill({ resources: [own, ...most] }))));
});

test("a skill that breaks a rule says which", () => {
  const file = (more: object) =>
    skill({ resources: [own, { ...own, uri: "skill://team/refunds/a", ...more }] });
  const wrong: [entry: unknown, why: RegExp][] = [
    [null, /address/],
    [skill({ uri: "skill://team/refunds" }), /address/],
    [skill({ uri: "skill://team/../refunds/SKILL.md" }), /elsewhere/],
    [skill({ frontmatter: { name: "Refunds", description: "x" } }), /name/],
    [skill({ frontmatter: { name: "re--funds", description: "x" } }), /name/],
    [skill({ frontmatter: { name: "refunds", description: " " } }), /description/],
    [
      skill({ frontmatter: { name: "refunds", description: "x", compatibility: 7 } }),
      /compatibility/,
    ],
    [
      skill({ frontmatter: { name: "refunds", description: "x", metadata: { version: 1 } } }),
      /metadata/,
    ],
    [
      skill({ frontmatter: { name: "refunds", description: "x", more: "x".repeat(70_000) } }),
      /frontmatter/,
    ],
    [skill({ frontmatter: { name: "other", description: "x" } }), /directory/],
    [skill({ resources: undefined }), /list its files/],
    [skill({ resources: [] }), /SKILL\.md/],
    [skill({ resources: [own, own] }), /twice/],
    [file({ uri: "skill://team/refunds-2/a" }), /outside/],
    [file({ uri: "skill://team/refunds/%2E%2e/a" }), /outside/],
    [file({ digest: digest.toUpperCase() }), /digest/],
    [file({ size: -1 }), /size/],
    [file({ size: skillLimits.bytes }), /MiB/],
  ];
  for (const [entry, why] of wrong) {
    const found = readSkill(entry);
    assert.match("wrong" in found ? found.wrong : "it is read", why);
  }
});

test("a step out of a directory is found in every spelling", () => {
  for (const address of [
    "a://b/../c",
    "a://b/./c",
    "a://b/%2e%2E/c",
    "a://b/%252e%252e/c",
    "a://b/..%2fc",
    "a://b\\..\\c",
    "a://b/c?d",
    "a://b/c#d",
    "a://b/\n",
  ])
    assert.equal(isSteppingOut(address), true, address);
  for (const address of ["a://b/c..d/e", "a://b/.hidden", "a://b/c%20d"])
    assert.equal(isSteppingOut(address), false, address);
});

test("a frontmatter that is nested deeper than JSON can be written is that skill's own problem", () => {
  let deep: object = {};
  for (let level = 0; level < 100_000; level++) deep = { deep };
  const frontmatter = { name: "refunds", description: "How to refund.", deep };
  const read = readSkill(skill({ frontmatter }));
  assert.ok("wrong" in read && read.wrong.includes("too deep"));
});
