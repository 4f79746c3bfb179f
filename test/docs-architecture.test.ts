import assert from "node:assert/strict";
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { projectRoot } from "./fixtures/documents.ts";

const read = (path: string) => readFileSync(join(projectRoot, path), "utf8");
const architecture = read("ARCHITECTURE.md");
const decisions = "docs/decisions";

/** The text between a heading and the next one. */
function sectionOf(text: string, title: string): string {
  const section = text.split(/^## /m).find((part) => part.startsWith(`${title}\n`));
  assert.ok(section, `no section '${title}'`);
  return section;
}

test("the table of rooms has every room of src, and each door is there", () => {
  const rooms = readdirSync(join(projectRoot, "src"), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  const rows = [
    ...sectionOf(architecture, "The rooms").matchAll(/^\| `([a-z]+)\/` \| (?:`([\w.]+)`)?/gm),
  ];
  assert.deepEqual(rows.map(([, room]) => room).sort(), rooms.map(({ name }) => name).sort());
  for (const [, room = "", door] of rows)
    if (door !== undefined)
      assert.ok(existsSync(join(projectRoot, "src", room, door)), `${room} has no ${door}`);
});

test("the table of packages has every package", () => {
  const rows = [
    ...sectionOf(architecture, "The packages").matchAll(
      /^\| \[([a-z0-9-]+)\]\(packages\/\1\/README\.md\) \|/gm,
    ),
  ];
  assert.deepEqual(
    rows.map(([, name]) => name).sort(),
    readdirSync(join(projectRoot, "packages")).sort(),
  );
});

test("the tour of a call has at most fifteen files", () => {
  const stops =
    sectionOf(architecture, "The tour of a call").match(/^\d+\. `src\/[\w/.-]+\.ts`/gm) ?? [];
  assert.ok(stops.length >= 10 && stops.length <= 15, `${stops.length} files`);
});

/** Of a careful reader, in words for a minute. */
const readingPace = 180;

test("the architecture is one read of 20 minutes", () => {
  const words = architecture.split(/\s+/).length;
  assert.ok(words <= 20 * readingPace, `${words} words`);
});

test("every decision is in the index and has a context, a decision and consequences", () => {
  const index = read(`${decisions}/README.md`);
  for (const file of globSync("[0-9]*.md", { cwd: join(projectRoot, decisions) })) {
    assert.ok(index.includes(`](${file})`), `${file} is not in the index`);
    assert.deepEqual(read(`${decisions}/${file}`).match(/^## .*$/gm), [
      "## Context",
      "## Decision",
      "## Consequences",
    ]);
  }
});

/** The packages that files import, without subpaths, our own and what Node brings. */
function packagesIn(pattern: string): Set<string> {
  const found = globSync(pattern, { cwd: projectRoot })
    .filter((file) => !/\.test\.tsx?$/.test(file))
    .flatMap((file) => [
      ...read(file).matchAll(/(?:^(?:import|export)\b[^"';]*?\bfrom |\bimport\()"([^".][^"]*)"/gm),
    ])
    .map(([, target = ""]) => target);
  const names = found.map((target) => /^(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target);
  return new Set(names.filter((name) => !/^(?:node:|@toolplane\/|#)/.test(name)));
}

test("every library that the program or the workbench imports has a line of reason", () => {
  const reasons = sectionOf(read(`${decisions}/dependencies.md`), "In the program");
  const workbench = sectionOf(read(`${decisions}/dependencies.md`), "In the workbench");
  const program = packagesIn("{src,packages/*/src}/**/*.ts");
  assert.ok(program.has("zod") && program.size > 10, `only ${[...program]}`);
  assert.deepEqual(
    [...program].filter((name) => !reasons.includes(`\`${name}\``)),
    [],
  );
  assert.deepEqual(
    [...packagesIn("workbench/src/**/*.{ts,tsx}")].filter(
      (name) => !`${workbench}${reasons}`.includes(`\`${name}\``),
    ),
    [],
  );
});
