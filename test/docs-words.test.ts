import assert from "node:assert/strict";
import { test } from "node:test";
import { readCompared } from "../scripts/compatibility-docs.ts";
import { type Document, documents, proseOf } from "./fixtures/documents.ts";
import { longSentences } from "./fixtures/long-sentences.ts";

/** Phrases that stand for a term of the field, each with what to write instead. */
const forbidden: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\b(?:whoever|nobody|somebody|everybody)\b/gi, "'you', 'a person', 'the caller', 'no one'"],
  [/\b(?:is|are|was|were|be|been) told\b/gi, "'is reported', 'is shown', 'gets'"],
  [/\bheld back\b/gi, "'quarantined'"],
  [/\bleft alone (?:since|until)\b/gi, "'circuit open since', 'next try in'"],
  [/\bso many (?:in a minute|at a time)\b/gi, "'rate limit', 'concurrency'"],
  [/\btaken for good\b/gi, "'pinned'"],
  [/\bcatalogue of the last time\b/gi, "'cached catalogue'"],
  [/\bone call along the path\b/gi, "'call a tool'"],
  [/\blets? no ?body in\b|\bit counts no more\b/gi, "'revoked'"],
  [/\bis no result of a tool\b/gi, "'invalid tools/call result'"],
  [/\bmust be a text\b/gi, "'must be a string'"],
  [/\bthe asker\b|\bhung up\b/gi, "'the client', 'disconnected'"],
  [/\bwithout a word from you\b/gi, "'by default'"],
  [/\bnothing comes of it\b/gi, "'is ignored'"],
  [/\basks nobody\b|\bhave a say in\b/gi, "'starts no servers', 'decide about'"],
  [/\bthree hands\b/gi, "'three sources'"],
  [/\bis another one\b/gi, "'changed'"],
  [/\bas may\b/gi, "name the limit"],
  [/\b(?:one's|somebody's) own\b/gi, "'your own'"],
  [/\bdearest\b/gi, "'most expensive'"],
  [/\bfor so long\b|\bso long after\b/gi, "'grace period', 'timeout'"],
  [/\btaken care of in another way\b/gi, "'resolved'"],
  [/\btasks in an order\b/gi, "'scheduled workflow'"],
  [/\btool said no\b|\bsays it destroys\b/gi, "'tool error', 'destructive'"],
  [/\barguments that do not fit\b/gi, "'invalid arguments'"],
  [/\bis left alone\b/gi, "'the circuit is open'"],
  [/\bgets done\b/gi, "'overloaded'"],
  [/\bbegin anew\b/gi, "'start again'"],
];

/** Titles of tests stand in the comparison as they are; what it says itself is checked. */
function checked(): Document[] {
  const compared = readCompared().map(({ says }) => says);
  return [
    ...documents().filter(({ path }) => path !== "docs/compatibility.md"),
    { path: "scripts/compatibility.tsv", text: compared.join("\n\n") },
  ];
}

/** Names of things in code are what they are. */
const withoutCode = (document: Document) =>
  proseOf(document).replaceAll(/`[^`]*`/g, (code) => code.replaceAll(/[^\n]/g, "x"));

function forbiddenIn(document: Document): string[] {
  const prose = withoutCode(document);
  return forbidden.flatMap(([phrase, instead]) =>
    [...prose.matchAll(phrase)].map(({ 0: found, index }) => {
      const line = prose.slice(0, index).split("\n").length;
      return `${document.path}:${line} says '${found}': write ${instead}`;
    }),
  );
}

test("documents use the terms of the field", () => {
  assert.deepEqual(checked().flatMap(forbiddenIn), []);
});

const maxWords = 25;

function sentencesOf(document: Document): string[] {
  const blocks = withoutCode(document)
    .replaceAll(/<!--[\s\S]*?-->/g, "")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .split(/\n\s*\n|\n(?=\s*(?:[-*|#]|\d+\.))/)
    .flatMap((block) => (block.trim().startsWith("|") ? block.split("|") : [block]));
  return blocks.flatMap((block) => block.split(/(?<=[.!?:;][*_")]*)\s+/)).map((sentence) => sentence.trim());
}

/** A list of names in code is read at a glance, so those do not count. */
const wordsIn = (sentence: string) =>
  sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word) && !/^[^\p{L}\p{N}]*xx+[^\p{L}\p{N}]*$/u.test(word))
    .length;

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
  assert.ok(total <= maxLongSentences, `${total} long sentences are allowed; shorten one instead of allowing more`);
});

/** Lower it with each sentence that is shortened; never raise it. */
const maxLongSentences = 33;
