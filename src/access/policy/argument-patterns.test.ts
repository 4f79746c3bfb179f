import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { matchesGlob } from "../../lib/text/glob.ts";
import { createPatternSet } from "../../lib/text/linear-pattern.ts";
import type { PolicyRule } from "../../model/access/policy.ts";
import type { Json } from "../../model/json.ts";
import { createArgumentMatcher, needsEngine, patternKey } from "./argument-patterns.ts";

const rule = (glob: string): PolicyRule => ({ arguments: { path: glob }, verdict: "ask" });
const character = fc.constantFrom("a", "b", "/", ".", "*", "?", "\\", "(", "[", "+", "\n", "$");
const text = fc.string({ unit: character, maxLength: 8 });

test("many globs at once match what each of them matches alone", () => {
  fc.assert(
    fc.property(fc.uniqueArray(text, { minLength: 40, maxLength: 60 }), text, (globs, path) => {
      const rules = globs.map(rule);
      assert.equal(needsEngine(rules), true);
      const matched = createArgumentMatcher(rules, createPatternSet)({ path });
      const expected = globs
        .filter((glob) => matchesGlob(glob, path))
        .map((glob) => patternKey("path", glob));
      assert.deepEqual([...matched.somewhere].sort(), expected.sort());
      assert.deepEqual([...matched.everywhere].sort(), expected);
    }),
    { numRuns: 100 },
  );
});

test("few globs do without the engine, one pattern does not", () => {
  assert.equal(needsEngine([rule("/etc/**"), rule("*")]), false);
  assert.equal(needsEngine([{ arguments: { path: { regex: "x" } }, verdict: "ask" }]), true);
});

test("an argument that every object seems to have is not taken for one of the caller's", () => {
  const match = createArgumentMatcher(
    [{ arguments: { constructor: "*" }, verdict: "ask" }],
    createPatternSet,
  );
  assert.equal(match({}).somewhere.size, 0);
});

const hidden: [title: string, value: Json, somewhere: boolean, everywhere: boolean][] = [
  ["alone", "ls -l", true, true],
  ["in a list of its like", ["ls", "ls -a"], true, true],
  ["beside another", ["ls", "rm -rf /"], true, false],
  ["deep in a list", [["rm"], [["ls"]]], true, false],
  ["in an object", { first: { command: "ls" } }, true, true],
  ["in an object beside another", { first: "ls", second: "rm" }, true, false],
  ["nowhere", ["rm"], false, false],
  ["in nothing at all", [], false, false],
];
for (const [title, path, somewhere, everywhere] of hidden) {
  test(`what a pattern is about, ${title}`, () => {
    const match = createArgumentMatcher([rule("ls*")], createPatternSet)({ path });
    const key = patternKey("path", "ls*");
    assert.deepEqual(
      [match.somewhere.has(key), match.everywhere.has(key)],
      [somewhere, everywhere],
    );
  });
}

test("the name * stands for every argument: a restriction needs one of them, permission all", () => {
  const patterns = { "*": "/etc/*" };
  const match = createArgumentMatcher([{ arguments: patterns, verdict: "ask" }], createPatternSet);
  const key = patternKey("*", patterns["*"]);
  for (const [args, somewhere, everywhere] of [
    [{ path: "/etc/passwd" }, true, true],
    [{ path: "/etc/passwd", mode: "r" }, true, false],
    [{ from: { path: ["/etc/hosts"] }, to: "/etc/other" }, true, true],
    [{ path: "/tmp" }, false, false],
    [{}, false, false],
  ] as const) {
    const matched = match(args as never);
    assert.equal(matched.somewhere.has(key), somewhere, JSON.stringify(args));
    assert.equal(matched.everywhere.has(key), everywhere, JSON.stringify(args));
  }
});
