import assert from "node:assert/strict";
import { test } from "node:test";
import { readCompared } from "../scripts/compatibility-docs.ts";
import { blocksOf, type Document, documents, proseOf } from "./fixtures/documents.ts";
import { forbidden } from "./fixtures/forbidden-words.ts";
import { longSentences } from "./fixtures/long-sentences.ts";

/** Titles of tests stand in the comparison as they are; what it says itself is checked. */
function checked(): Document[] {
  const compared = readCompared().map(({ says }) => says);
  return [...documents(), { path: "scripts/compatibility.tsv", text: compared.join("\n\n") }];
}

/** Names of things in code are what they are. */
const withoutCode = (document: Document) =>
  proseOf(document).replaceAll(/`[^`]*`/g, (code) => code.replaceAll(/[^\n]/g, "x"));

/** Phrases to avoid, with where they stand and what to write instead. */
function forbiddenIn(path: string, text: string): string[] {
  return forbidden.flatMap(([phrase, instead]) =>
    [...text.matchAll(phrase)].map(({ 0: found, index }) => {
      const line = text.slice(0, index).split("\n").length;
      return `${path}:${line} says '${found.replaceAll(/\s+/g, " ")}': write ${instead}`;
    }),
  );
}

test("documents use the terms of the field", () => {
  const inProse = checked().flatMap((document) =>
    forbiddenIn(document.path, withoutCode(document)),
  );
  const shown = documents().flatMap((document) => blocksOf(document, "console", "text", "sh"));
  const inBlocks = shown.flatMap(({ path, line, text }) =>
    forbiddenIn(`${path} (block at line ${line})`, text),
  );
  assert.deepEqual([...inProse, ...inBlocks], []);
});

/** What is printed or shown, comments and titles of tests. A name in quotes, such as a key of a record, is no prose. */
const sources = [
  "src",
  "packages/*/src",
  "workbench/src",
  "servers",
  "scripts",
  "test",
  "bench",
  "examples/*",
].flatMap((folder) => ["ts", "tsx"].map((ending) => `${folder}/**/*.${ending}`));

test("messages, comments and titles of tests use the terms of the field", () => {
  const found = documents(sources)
    .filter(({ path }) => !/node_modules|fixtures.forbidden-words/.test(path))
    .flatMap(({ path, text }) => {
      const prose = text.replaceAll(/(["'`])[\w-]+\1/g, (name) => name.replaceAll(/\w/g, "x"));
      return forbiddenIn(path, prose);
    });
  assert.deepEqual(found, []);
});

const maxWords = 25;

function sentencesOf(document: Document): string[] {
  const blocks = withoutCode(document)
    .replaceAll(/<!--[\s\S]*?-->/g, "")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .split(/\n\s*\n|\n(?=\s*(?:[-*|#]|\d+\.))/)
    .flatMap((block) => (block.trim().startsWith("|") ? block.split("|") : [block]));
  return blocks
    .flatMap((block) => block.split(/(?<=[.!?:;][*_")]*)\s+/))
    .map((sentence) => sentence.trim());
}

/** A list of names in code is read at a glance, so those do not count. */
const wordsIn = (sentence: string) =>
  sentence
    .split(/\s+/)
    .filter(
      (word) => /[\p{L}\p{N}]/u.test(word) && !/^[^\p{L}\p{N}]*xx+[^\p{L}\p{N}]*$/u.test(word),
    ).length;

function longOnesOf(document: Document): string[] {
  return sentencesOf(document).filter((sentence) => wordsIn(sentence) > maxWords);
}

for (const document of checked()) {
  const allowed = longSentences[document.path] ?? 0;
  test(`${document.path} has no more than ${allowed} sentences above ${maxWords} words`, () => {
    const found = longOnesOf(document);
    assert.ok(found.length <= allowed, `${found.length} sentences:\n${found.join("\n\n")}`);
  });
}

test("the list of pages with long sentences only shrinks", () => {
  const pages = new Map(checked().map((document) => [document.path, longOnesOf(document).length]));
  const stale = Object.keys(longSentences).filter((path) => (pages.get(path) ?? 0) === 0);
  assert.deepEqual(stale, [], "remove these pages from test/fixtures/long-sentences.ts");
  const total = Object.values(longSentences).reduce((sum, count) => sum + count, 0);
  assert.ok(
    total <= maxLongSentences,
    `${total} long sentences are allowed; shorten one instead of allowing more`,
  );
});

/** Lower it with each sentence that is shortened; never raise it. */
const maxLongSentences = 21;
