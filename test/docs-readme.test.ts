import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { documents, projectRoot, proseOf } from "./fixtures/documents.ts";

const read = (path: string) => readFileSync(join(projectRoot, path), "utf8");
const [readme = { path: "README.md", text: "" }] = documents(["README.md"]);

/** The pages that a page links to. */
function linkedFrom(path: string): string[] {
  const links = [...proseOf({ path, text: read(path) }).matchAll(/\]\((?!https?:)([^)#\s]+\.md)/g)];
  return links.map(([, target = ""]) => normalize(join(dirname(path), target)));
}

const within = (clicks: number): Set<string> => {
  const reached = new Set(["README.md"]);
  for (let click = 0; click < clicks; click++)
    for (const page of [...reached]) for (const next of linkedFrom(page)) reached.add(next);
  return reached;
};

test("the README is read in two screens and has the command that runs every test", () => {
  assert.ok(readme.text.split("\n").length <= 90);
  assert.match(readme.text, /^npm ci && npm test\b/m);
});

const questions: [question: string, page: string, answer: RegExp][] = [
  [
    "how do I put it in front of my client",
    "docs/guides/clients.md",
    /^toolplane connect claude-code\b/m,
  ],
  [
    "how do I stop it from deleting things",
    "docs/guides/approvals.md",
    /"tool": "\*\.delete_\*", "verdict": "deny"/,
  ],
  ["why does my server not start", "docs/troubleshooting.md", /^## My server does not start$/m],
];

for (const [question, page, answer] of questions) {
  test(`one click from the README answers '${question}'`, () => {
    assert.ok(within(1).has(page), `the README does not link to ${page}`);
    assert.match(read(page), answer);
  });
}

test("every page of docs is two clicks from the README, or three where its index is", () => {
  const pages = globSync("docs/**/*.md", { cwd: projectRoot }).map(normalize);
  const near = within(2);
  const far = within(3);
  const isListed = (page: string) => /^docs[/\\](?:errors|decisions)[/\\]/.test(page);
  assert.deepEqual(
    pages.filter((page) => !(isListed(page) ? far : near).has(page)),
    [],
  );
});

/** What the harness wrote: the only source of figures. */
const results = globSync("bench/gateway/results/*.md", { cwd: projectRoot })
  .map((file) => read(file).replaceAll(",", ""))
  .join("\n");

const figuresIn = (text: string) => text.replaceAll(",", "").match(/\d+\.\d+|\d{3,}/g) ?? [];

/** The cells of a table behind its heading, without names in code. */
const cellsIn = (page: string) =>
  (page.match(/^\|.*\|$/gm) ?? []).map((row) =>
    row.replaceAll(/`[^`]*`/g, "").replaceAll(/\d{4}-\d{2}-\d{2}/g, ""),
  );

test("the README names five figures with the command, the machine and the day", () => {
  const [, section = ""] = readme.text.split("## Five strengths");
  const rows =
    section.match(
      /^\| \*\*.*`node bench\/gateway\/run\.ts --mode [a-z-]+(?: --rivals DIR)?` \|$/gm,
    ) ?? [];
  assert.equal(rows.length, 5);
  assert.match(section, /Measured on \d+ \w+ \d{4} on .* cores with Node \d/);
  for (const row of rows) {
    const figures = figuresIn(row.split("|")[2] ?? "").filter((figure) => figure !== "5000");
    assert.ok(figures.length > 0, row);
    assert.deepEqual(
      figures.filter((figure) => !results.includes(figure)),
      [],
      row,
    );
  }
});

test("every figure of docs/performance.md stands in a result of its harness", () => {
  const page = read("docs/performance.md");
  assert.match(page, /\*\*\d+ \w+ \d{4}\*\*/);
  assert.match(page, /^node bench\/gateway\/run\.ts /m);
  const figures = cellsIn(page).flatMap(figuresIn);
  assert.ok(figures.length > 40);
  const rounded = (figure: string) => results.includes(figure) || hasRounded(Number(figure));
  assert.deepEqual(
    figures.filter((figure) => !rounded(figure)),
    [],
  );
});

/** A page may write 96 for 95.6. */
function hasRounded(figure: number): boolean {
  return (results.match(/\d+\.\d+/g) ?? []).some(
    (measured) => Math.round(Number(measured)) === figure,
  );
}

test("troubleshooting has a row for every check of the doctor", () => {
  const sources = globSync("packages/*/src/*.ts", { cwd: projectRoot }).filter(
    (file) => !file.endsWith(".test.ts"),
  );
  const checks = sources.flatMap((file) => [
    ...read(file).matchAll(/\b(?:passed|failed)\(\s*"([a-z ]+)"|\bname: "([a-z ]+)", ok:/g),
  ]);
  const names = new Set(checks.map(([, called, made]) => called ?? made));
  assert.ok(names.size > 10 && names.has("container"));
  const page = read("docs/troubleshooting.md");
  assert.deepEqual(
    [...names].filter((name) => !page.includes(`| \`${name}\` |`)),
    [],
  );
});
