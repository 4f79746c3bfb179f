import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { test } from "node:test";
import { operations } from "../src/operations/operations.ts";

const root = join(import.meta.dirname, "..");
const file = join(root, "SECURITY.md");
const columns = ["surface", "what a stranger controls", "what must hold", "test"];

/** The rows of the table below a heading, cell by cell. */
function tableOf(heading: string): string[][] {
  const [, section = ""] = readFileSync(file, "utf8").split(heading);
  const lines = section.split("\n### ", 1)[0]?.split("\n") ?? [];
  const cells = (line: string) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim());
  return lines.filter((line) => line.startsWith("|")).map(cells);
}

const surfaces = () => tableOf("### Surfaces\n");

test("the table of surfaces says what a stranger controls, what must hold and which test attacks it", () => {
  const [head, , ...rows] = surfaces();
  assert.deepEqual(head, columns);
  assert.ok(rows.length >= 10, `only ${rows.length} rows`);
  const incomplete = rows.filter((row) => row.length !== columns.length || row.includes(""));
  assert.deepEqual(incomplete, []);
  const names = rows.map(([surface]) => surface);
  assert.deepEqual(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
    "each surface has one row",
  );
});

for (const [surface = "", , , tests = ""] of surfaces().slice(2))
  test(`the tests of the surface '${surface}' exist`, () => requireTests(tests));

function requireTests(tests: string): void {
  const links = [...tests.matchAll(/\]\(([^)]+)\)/g)].map(([, link = ""]) => link);
  assert.ok(links.length > 0, "it names no test");
  for (const link of links) {
    assert.match(link, /\.test\.tsx?$/, `${link} is no test`);
    assert.ok(existsSync(join(root, link)), `${link} is not there`);
    // Its tests may be those of a contract.
    const text = readFileSync(join(root, link), "utf8");
    assert.match(text, /\btest\(|"\.\.\/contracts\//, `${link} tests nothing`);
  }
}

/** What a module calls that reads what is not its own: files, wires, texts of strangers. */
const reading =
  /\b(?:JSON\.parse|parseYaml|parseJson|parseData|parseMessage|createSseParser|createLineSplitter|readFile(?:Sync)?|readDocument|foreign|jwtVerify|scanNumbers)\(|\bForeign</;

type Row = { input: string; read: string[]; operations: string[]; keys: string[]; tests: string };

const words = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);

function coverage(): Row[] {
  return tableOf("### Coverage\n")
    .slice(2)
    .map(([input = "", read = "", operations = "", keys = "", tests = ""]) => {
      return { input, read: words(read), operations: words(operations), keys: words(keys), tests };
    });
}

const matches = (pattern: string, name: string) => matchesGlob(name, pattern);

/** What no row covers, and what covers nothing: a row that outlived its code. */
function compare(names: readonly string[], patterns: readonly string[]) {
  return {
    uncovered: names.filter((name) => !patterns.some((pattern) => matches(pattern, name))),
    stale: patterns.filter((pattern) => !names.some((name) => matches(pattern, name))),
  };
}

const nothing = { uncovered: [], stale: [] };

test("every module that reads what others write is in a row of the coverage", () => {
  const modules = globSync("{src,packages/*/src}/**/*.{ts,tsx}", { cwd: root })
    .map((path) => path.replaceAll("\\", "/"))
    .filter(
      (path) => !/\.test\.tsx?$/.test(path) && reading.test(readFileSync(join(root, path), "utf8")),
    )
    .map((path) => path.replace(/^src\//, ""));
  assert.ok(modules.length > 80, `only ${modules.length} readers are found`);
  const patterns = coverage().flatMap(({ read }) => read);
  assert.deepEqual(compare(modules, patterns), nothing);
});

test("every operation that takes something is in a row of the coverage", () => {
  const patterns = coverage().flatMap((row) => row.operations);
  const isGiven = ({ input }: (typeof operations)[number]) => Object.keys(input.shape).length > 0;
  const { uncovered } = compare(
    [...new Set(operations.filter(isGiven).map(({ name }) => name))],
    patterns,
  );
  const { stale } = compare(
    operations.map(({ name }) => name),
    patterns,
  );
  assert.deepEqual({ uncovered, stale }, nothing);
});

test("every key of the configuration is in one row of the coverage", () => {
  const schema = JSON.parse(readFileSync(join(root, "toolplane.schema.json"), "utf8")) as {
    properties: object;
  };
  const patterns = coverage().flatMap(({ keys }) => keys);
  assert.deepEqual(compare(Object.keys(schema.properties), patterns), nothing);
  assert.deepEqual(
    patterns.filter((key, at) => patterns.indexOf(key) !== at),
    [],
  );
});

for (const { input, tests } of coverage())
  test(`the tests of the input '${input}' exist`, () => requireTests(tests));
