import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  errorPages,
  generatedDocs,
  root,
  textBelowHead,
  unwritten,
} from "../scripts/generated-docs.ts";
import { errorTable } from "../src/model/errors.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");
const codes = Object.keys(errorTable);
const pages = readdirSync(join(root, errorPages)).filter((file) => file !== "README.md");

for (const { path, text } of generatedDocs()) {
  test(`${path} says what the code says (npm run docs writes it)`, () => {
    assert.equal(read(path), text);
  });
}

test("every error code has a page, and every page a code", () => {
  assert.deepEqual(pages.sort(), codes.map((code) => `${code}.md`).sort());
});

for (const code of codes) {
  test(`the page of ${code} says what happened, what is printed and what to do`, () => {
    const text = textBelowHead(read(`${errorPages}/${code}.md`));
    assert.ok(!text.includes(unwritten), "it is an empty skeleton");
    assert.deepEqual(text.match(/^#{1,2} .*$/gm), [
      "## What happened",
      "## Example",
      "## What to do",
    ]);
    for (const section of text.split(/^## .*$/m).slice(1)) assert.match(section, /\S{3}/);
  });
}

test("an error page links only to what exists", () => {
  const known = new Set(["README.md", ...pages]);
  for (const page of known) {
    const targets = [...read(`${errorPages}/${page}`).matchAll(/\]\(([\w-]+\.md)\)/g)].map(
      ([, target]) => target,
    );
    assert.deepEqual(
      targets.filter((target) => !known.has(target ?? "")),
      [],
      page,
    );
  }
});
