import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { beforeOutput, print, printError, printJson, printWarning, renderTable } from "./output.ts";

/** What is written to standard output and standard error, colours aside. */
function capture(context: TestContext): { out: string[]; err: string[] } {
  const written = { out: [] as string[], err: [] as string[] };
  for (const [stream, lines] of [
    [process.stdout, written.out],
    [process.stderr, written.err],
  ] as const) {
    const write = stream.write.bind(stream);
    // The test runner reports through standard output as well; only text is ours.
    context.mock.method(stream, "write", (data: string | Uint8Array) =>
      typeof data === "string" ? lines.push(data) > 0 : write(data),
    );
  }
  return written;
}

test("results go to standard output, what is for people to standard error", (context) => {
  const { out, err } = capture(context);
  print("result");
  printJson({ a: [1] });
  printWarning("careful");
  printError({ code: "USAGE", message: "What?" });
  context.mock.restoreAll();
  assert.deepEqual(out, ["result\n", '{"a":[1]}\n']);
  assert.deepEqual(err.map(stripVTControlCharacters), [
    "warning: careful\n",
    "error: What? [USAGE]\n",
  ]);
});

test("foreign text in warnings and errors cannot drive the terminal", (context) => {
  const { err } = capture(context);
  printWarning("a\u001b]0;title\u0007b\u202ec");
  printError({ code: "INTERNAL", message: "\u001b[2Jx\u009b1m" });
  context.mock.restoreAll();
  assert.deepEqual(err.map(stripVTControlCharacters), [
    "warning: abc\n",
    "error: x1m [INTERNAL]\n",
  ]);
});

test("what is drawn meanwhile is taken away once, before the first output", (context) => {
  const { out } = capture(context);
  beforeOutput.add(() => process.stdout.write("clear\n"));
  print("one");
  print("two");
  context.mock.restoreAll();
  assert.deepEqual(out, ["clear\n", "one\n", "two\n"]);
});

function table(columns: number | undefined, rows: string[][]): string[] {
  const before = process.stdout.columns;
  Object.assign(process.stdout, { columns });
  const lines = renderTable(["TOOL", "DESCRIPTION"], rows).split("\n");
  Object.assign(process.stdout, { columns: before });
  return lines.map(stripVTControlCharacters);
}

test("columns are as wide as their content", () => {
  const rows = [
    ["git.status", "Tells the state."],
    ["x", ""],
  ];
  assert.deepEqual(table(80, rows), [
    "TOOL        DESCRIPTION",
    "git.status  Tells the state.",
    "x           ",
  ]);
});

test("a line never leaves the terminal", () => {
  const lines = table(20, [["git.status", "A description of any length."]]);
  assert.deepEqual(lines, ["TOOL        DESCRIP…", "git.status  A descr…"]);
  assert.ok(lines.every((line) => line.length === 20));
});

test("lines, tabs and escape sequences of a cell do not break the table", () => {
  const [, row] = table(80, [["a\nb", "one\n\n\ttwo\u001b[31m three"]]);
  assert.equal(row, "a b   one two three");
});

test("without rows there is the head", () => {
  assert.deepEqual(table(undefined, []), ["TOOL  DESCRIPTION"]);
});
