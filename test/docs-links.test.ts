import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { blocksOf, type Document, documents, projectRoot, proseOf } from "./fixtures/documents.ts";

/** As the sites that show Markdown name headings. */
function anchorsOf(path: string): Set<string> {
  const prose = proseOf({ path, text: readFileSync(join(projectRoot, path), "utf8") });
  const names = [...prose.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
    title
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-"),
  );
  return new Set(names.map((name, at) => (names.indexOf(name) === at ? name : `${name}-1`)));
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}

function brokenLinks(document: Document): string[] {
  const prose = proseOf(document);
  return [...prose.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].flatMap((link) => {
    const { 1: file = "", 2: anchor, index } = link;
    const target = file === "" ? document.path : normalize(join(dirname(document.path), file));
    const isThere =
      existsSync(join(projectRoot, target)) &&
      (anchor === undefined || anchorsOf(target).has(anchor));
    return isThere
      ? []
      : [`${document.path}:${lineOf(prose, index)} leads nowhere: ${link[0].slice(2, -1)}`];
  });
}

const sources = globSync(
  "{src,packages,test,bench,examples,scripts,servers,workbench}/**/*.{ts,tsx,mjs,sh,json,yaml}",
  {
    cwd: projectRoot,
    exclude: (name) => name.includes("node_modules"),
  },
);

const named =
  /`((?:[\w.-]+\/)*[\w-]+\.(?:test\.)?tsx?|(?:src|packages|test|bench|scripts|workbench)\/[\w./-]+)`/g;
const drawn = /(?<![\w./-])((?:[\w-]+\/)*[\w-]+\.ts)\b/g;

/** In prose, and in drawings, which are blocks without a language. */
function filesIn(document: Document): { name: string; line: number }[] {
  const prose = proseOf(document);
  return [
    ...[...prose.matchAll(named)].map(({ 1: name = "", index }) => ({
      name,
      line: lineOf(prose, index),
    })),
    ...blocksOf(document, "").flatMap(({ text, line }) =>
      [...text.matchAll(drawn)].map(({ 1: name = "" }) => ({ name, line })),
    ),
  ];
}

/** A path from the top or from the document, or the end of one where it is clear which room is meant. */
function missingFiles(document: Document): string[] {
  return filesIn(document)
    .filter(
      ({ name }) =>
        !existsSync(join(projectRoot, name)) &&
        !existsSync(join(projectRoot, dirname(document.path), name)) &&
        !sources.some((source) => source.endsWith(`/${name}`)),
    )
    .map(({ name, line }) => `${document.path}:${line} names a file that is not there: ${name}`);
}

for (const document of documents()) {
  test(`${document.path} leads only to what exists, and names only files that are there`, () => {
    assert.deepEqual([...brokenLinks(document), ...missingFiles(document)], []);
  });
}
