import type { Finding } from "../../../model/quality.ts";
import { englishPhrases, mailWord, type Phrase, urlWord } from "./english-phrases.ts";
import { foreignPhrases, unspacedPhrases } from "./foreign-phrases.ts";

/** An address has no beginning that a word could go on from, so its parts are bounded. */
const tokens =
  /https?:\/\/[^\s)>"']+|[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,8}|[\p{L}\p{N}_][\p{L}\p{N}_'’]*/gu;

const phrases = [...englishPhrases, ...foreignPhrases];
const firstWords = new Map<string, Phrase[]>();
for (const phrase of phrases) {
  for (const word of phrase.words[0] ?? []) firstWords.set(word, [...(firstWords.get(word) ?? []), phrase]);
}

const anyUnspaced = new RegExp(unspacedPhrases.map(({ pattern }) => pattern.source).join("|"), "iu");

export type PhraseFound = { kind: Finding["kind"]; from: number; to: number; isPlain: boolean };

type Word = { word: string; from: number; to: number };

/** Most texts lack a word that a phrase needs, and a look for those is quicker than following each. */
export function mayHavePhrases(text: string): boolean {
  const plain = withoutAccents(text).toLowerCase().replaceAll("’", "'");
  const there = new Set<string>();
  for (const [word] of plain.matchAll(/[a-z0-9_][a-z0-9_']*/g)) there.add(word.replace(/'+$/, ""));
  if (plain.includes("http")) there.add(urlWord);
  if (plain.includes("@")) there.add(mailWord);
  return (
    phrases.some(({ words }) => words.every((options) => !options.isDisjointFrom(there))) ||
    mayBeUnspaced(text)
  );
}

/** In a time that grows with the text alone: no word is looked at more often than there are phrases and gaps. */
export function findPhrases(text: string): PhraseFound[] {
  if (!mayHavePhrases(text)) return [];
  const words = wordsOf(withoutAccents(text));
  const found = new Map<Phrase, PhraseFound>();
  for (const [at, { word, from }] of words.entries()) {
    for (const phrase of firstWords.get(word) ?? []) {
      const to = found.has(phrase) ? null : follow(words, at, phrase);
      if (to !== null) found.set(phrase, { kind: phrase.kind, from, to, isPlain: phrase.isPlain === true });
    }
  }
  return [...found.values(), ...findUnspaced(text)];
}

function mayBeUnspaced(text: string): boolean {
  return /[\u0400-\uffff]/.test(text) && anyUnspaced.test(text);
}

function findUnspaced(text: string): PhraseFound[] {
  return unspacedPhrases.flatMap(({ kind, pattern, isPlain = false }) => {
    const found = pattern.exec(text);
    return found ? [{ kind, from: found.index, to: found.index + found[0].length, isPlain }] : [];
  });
}

/** Where the last word of the phrase ends. The nearest word that fits is taken. */
function follow(words: readonly Word[], start: number, { words: wanted, gap }: Phrase): number | null {
  let at = start;
  for (const options of wanted.slice(1)) {
    const next = words.slice(at + 1, at + 2 + gap).findIndex(({ word }) => options.has(word));
    if (next < 0) return null;
    at += 1 + next;
  }
  return words[at]?.to ?? null;
}

function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  for (const { 0: word, index } of text.matchAll(tokens)) {
    const plain = word
      .toLowerCase()
      .replaceAll("’", "'")

      .replace(/[.']+$/, "");
    words.push({ word: classOf(plain), from: index, to: index + word.length });
  }
  return words;
}

function classOf(word: string): string {
  return /^https?:/.test(word) ? urlWord : word.includes("@") ? mailWord : word;
}

/** One letter for one letter, so that places stay what they are. */
function withoutAccents(text: string): string {
  return text.replaceAll(/[\u00c0-\u024f]/g, (letter) => letter.normalize("NFD").charAt(0));
}
