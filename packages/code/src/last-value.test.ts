import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createSandbox } from "./sandbox.ts";

const sandbox = createSandbox();
after(() => sandbox.close());

const run = (source: string) =>
  sandbox.run({
    source,
    seeds: [1, 2, 3, 4],
    startedAt: 0,
    limits: { memoryBytes: 64 * 1024 * 1024, cpuMs: 60_000, calls: 20 },
    store: "{}",
    owner: "ann",
    signal: new AbortController().signal,
    request: async (_, json) => JSON.stringify({ value: JSON.parse(json).arguments }),
    names: () => "[]",
    log: () => undefined,
  });

const cases: [what: string, source: string, expected: unknown][] = [
  ["a name", "const r = await tools.a.b({ n: 1 });\nr", { n: 1 }],
  ["a call that nothing waits for", "tools.a.b({ n: 1 });", { n: 1 }],
  [
    "a call of main",
    "async function main() {\n  return await tools.a.b({ n: 2 });\n}\n\nmain();\n// the end\n",
    { n: 2 },
  ],
  ["a function that is called where it stands", "(async () => {\n  return 3;\n})();", 3],
  ["a chain over lines", "const all = [3, 1];\nall\n  .map((x) => x * 2)\n  .join();", "6,2"],
  ["an object", "const a = 1;\n({ a })", { a: 1 }],
  ["the last of a line", "const a = 1; let b = 2; a + b", 3],
  [
    "an expression with types",
    "enum Kind { A = 'a' }\nconst kind: Kind = Kind.A;\nkind as string;",
    "a",
  ],
  ["what is returned goes first", "if (1 < 2) return 'early';\n'late'", "early"],
  ["no text", "const text = `\nhello\nworld`;", null],
  ["no comment", "const a = 1; // then; a", null],
  ["no second half of an expression", "const a = 1\n  + 2", null],
  ["no arguments of the line before", "const f = (x) => x\n(3)", null],
  ["no loop", "let n = 0;\nfor (const x of [1, 2]) { n += x; }", null],
  ["no function", "const a = 1;\nfunction twice(x) { return x * 2 }", null],
  ["no class", "const a = 1;\n  class A { b = 1 }", null],
];

for (const [what, source, expected] of cases)
  test(`the last expression is the value of a program: ${what}`, async () => {
    const result = await run(source);
    assert.ok(result.ok, JSON.stringify(result));
    assert.deepEqual(JSON.parse(result.json), expected);
    assert.equal(result.unawaited, 0);
  });

test("a mistake in the last expression is at its own line", async () => {
  const result = await run("const a = 1;\n\nnull\n  .x;");
  assert.ok(!result.ok);
  assert.deepEqual([result.error.line, result.error.text], [4, ".x;"]);
});
