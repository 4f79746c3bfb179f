import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

const file = join(import.meta.dirname, "../SECURITY.md");
const columns = ["surface", "what a stranger controls", "what must hold", "test"];

/** The rows of the table, cell by cell. */
function surfaces(): string[][] {
  const [, section = ""] = readFileSync(file, "utf8").split("### Surfaces\n");
  const lines = section.split("\n### ", 1)[0]?.split("\n") ?? [];
  const cells = (line: string) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim());
  return lines.filter((line) => line.startsWith("|")).map(cells);
}

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
  test(`the tests of the surface '${surface}' exist`, () => {
    const links = [...tests.matchAll(/\]\(([^)]+)\)/g)].map(([, link = ""]) => link);
    assert.ok(links.length > 0, "it names no test");
    for (const link of links) {
      assert.match(link, /\.test\.tsx?$/, `${link} is no test`);
      assert.ok(existsSync(join(dirname(file), link)), `${link} is not there`);
      assert.match(readFileSync(join(dirname(file), link), "utf8"), /\btest\(/, `${link} tests nothing`);
    }
  });
