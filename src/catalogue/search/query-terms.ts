import { exactTerm } from "./segment.ts";
import { stemOf } from "./stem.ts";
import { isEmptyInQueries } from "./stop-words.ts";
import { usualSynonyms } from "./synonyms.ts";
import { eachWord, joinWords } from "./words.ts";

/** One thing to look for and how much it counts. What is asked for is the words themselves; a form is how one is written. */
export type Term = { key: string; word: string; weight: number; isAsked: boolean; isForm: boolean };

const exactWeight = 0.5;
const synonymWeight = 0.3;

/** Stems to the stems that mean nearly the same. */
export type Synonyms = ReadonlyMap<string, readonly string[]>;

export function termsOf(query: string, synonyms: Synonyms = usualSynonyms): Term[] {
  const words = wordsIn(query);
  const terms = new Map<string, Term>();
  for (const word of words) {
    const stem = stemOf(word);
    terms.set(stem, { key: stem, word, weight: 1, isAsked: true, isForm: false });
    const exact = exactTerm(word);
    terms.set(exact, { key: exact, word, weight: exactWeight, isAsked: false, isForm: true });
  }
  for (const word of words) {
    for (const key of synonyms.get(stemOf(word)) ?? []) {
      if (!terms.has(key)) terms.set(key, { key, word, weight: synonymWeight, isAsked: false, isForm: false });
    }
  }
  return [...terms.values()];
}

/** Without words that mean nothing here, unless there are no others. */
function wordsIn(text: string): Set<string> {
  const all = new Set<string>();
  eachWord(text, (word) => all.add(word));
  const telling = new Set([...all].filter((word) => !isEmptyInQueries(word)));
  if (telling.size > 0) return telling;
  if (all.size > 0) return all;
  // A query of function words alone may still be somebody's name for something.
  const joined = joinWords(text);
  return new Set(joined === "" ? [] : [joined]);
}
