import { once } from "@toolplane/core/lib/async/once";
import type { FeatureFound } from "./features.ts";
import { foldText } from "./fold.ts";
import { languages } from "./languages.ts";
import { bitOf } from "./lexicon.ts";
import { readTokens, type Token, tokensOf } from "./tokens.ts";

/** The classes of `languages.ts`; then a telling with its "not" beside it, an address and a file with secrets. */
const classes = "ROXNTUPHSLC";
const classOf = (letter: string) => classes.indexOf(letter);
const untold = classes.length;
const url = untold + 1;
const secretFile = url + 1;
const width = secretFile + 1;

/** Words that most languages borrow. They count in every language, and alone they are none. */
const borrowed =
  "any P user L password* credentials token* api_key* ssh secrets C chat* O system_prompt* prompt prompts";
const anyLanguage = 0;

/** English words that other languages spell alike: alone they are no word of those. */
const sharedWithEnglish = new Set([
  "send",
  "sends",
  "sending",
  "sender",
  "secret",
  "secrets",
  "password",
  "passwords",
  "user",
  "users",
  "order",
]);

type Hit = { language: number; class: number };
type Expression = { tail: readonly string[]; isStem: boolean; hit: Hit };
type Book = {
  words: Map<string, Hit[]>;
  stems: Map<string, Hit[]>;
  expressions: Map<string, Expression[]>;
  /** Of scripts without spaces between words. */
  runs: Map<string, Hit[]>;
};

const unspaced = /[\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff]/;
const sentenceEnd = /^[.!?;\n]$/;
const sentenceGap = 4;
const maxNegationDistance = 4;
const maxEntry = 24;

/** Built with the first text that is read: most starts scan nothing. */
const book = once((): Book => {
  const newBook: Book = {
    words: new Map(),
    stems: new Map(),
    expressions: new Map(),
    runs: new Map(),
  };
  for (const [language, line] of [borrowed, ...languages.trim().split("\n")].entries()) {
    let kind = 0;
    for (const entry of line.split(" ").slice(1)) {
      if (/^[A-Z]$/.test(entry)) kind = classOf(entry);
      else addEntry(newBook, entry, { language, class: kind });
    }
  }
  return newBook;
});

function addEntry({ words, stems, expressions, runs }: Book, entry: string, hit: Hit): void {
  const isStem = entry.endsWith("*");
  const spelled = foldText(entry.replace("*", "").replaceAll("_", " ")).text;
  // Read as texts are read, so that apostrophes and hyphens part the same words.
  const parts = tokensOf(spelled).map(({ word }) => word);
  const [first = "", ...tail] = parts;
  if (unspaced.test(first)) addTo(runs, parts.join(""), hit);
  else if (tail.length > 0) addTo(expressions, first, { tail, isStem, hit });
  else addTo(isStem ? stems : words, first, hit);
}

function addTo<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

type Rule = Pick<FeatureFound, "kind" | "severity"> & {
  within: number;
  needs: readonly (readonly number[])[];
};

const anyOf = (letters: string) => [...letters].map(classOf);
const rules: readonly Rule[] = [
  { kind: "instruction", severity: "high", within: 8, needs: [anyOf("R"), anyOf("O")] },
  {
    kind: "concealment",
    severity: "high",
    within: 8,
    needs: [[classOf("U"), untold], anyOf("PSLC")],
  },
  { kind: "concealment", severity: "high", within: 7, needs: [anyOf("H"), anyOf("SLC")] },
  { kind: "exfiltration", severity: "high", within: 14, needs: [anyOf("S"), anyOf("LC"), [url]] },
  { kind: "secret_request", severity: "high", within: 12, needs: [anyOf("S"), [secretFile]] },
];

type Sighting = { position: number; from: number; isOfLanguage: boolean };
type Page = (Sighting | undefined)[];

/** Orders in one of some eighty languages, whose words are all of that language; linear in the length of the text. */
export function findForeignOrders(text: string): FeatureFound[] {
  const { folded, tokens } = readTokens(text);
  const pages = new Map<number, Page>([[anyLanguage, new Array<Sighting | undefined>(width)]]);
  const shared = pages.get(anyLanguage) ?? [];
  const features = new Map<Rule, FeatureFound>();
  let position = 0;
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as Token;
    position += token.word.length === 1 && sentenceEnd.test(token.word) ? sentenceGap : 1;
    for (const { hit, from, to } of hitsOf(tokens, index, token)) {
      const page = pages.get(hit.language) ?? new Array<Sighting | undefined>(width);
      pages.set(hit.language, page);
      const sighting = {
        position,
        from,
        isOfLanguage: hit.language !== anyLanguage && !sharedWithEnglish.has(token.word),
      };
      page[hit.class] = sighting;
      markUntold(page, hit.class, sighting);
      if (hit.language !== anyLanguage) judge(page, shared, position, to, features);
      else
        for (const [language, otherPage] of pages)
          if (language !== anyLanguage) judge(otherPage, shared, position, to, features);
    }
  }
  return [...features.values()].map((feature) => ({
    ...feature,
    from: folded.sourceIndex(feature.from),
    to: folded.sourceIndex(feature.to),
  }));
}

/** Not to tell is one idea: most languages put the "not" shortly before, some shortly after. */
function markUntold(page: Page, kind: number, sighting: Sighting): void {
  const near = (letter: string) =>
    sighting.position - (page[classOf(letter)]?.position ?? Number.NEGATIVE_INFINITY) <=
    maxNegationDistance;
  const isNot = "NX".includes(classes[kind] ?? " ");
  if ((kind === classOf("T") && near("N")) || (isNot && near("T"))) page[untold] = sighting;
}

function judge(
  page: Page,
  shared: Page,
  position: number,
  to: number,
  features: Map<Rule, FeatureFound>,
): void {
  for (const rule of rules) {
    if (features.has(rule)) continue;
    let from = Number.POSITIVE_INFINITY;
    let ownCount = 0;
    const fits = rule.needs.every((need) =>
      need.some((kind) => {
        const sighting = latest(page[kind], shared[kind]);
        if (!sighting || sighting.position < position - rule.within) return false;
        from = Math.min(from, sighting.from);
        if (sighting.isOfLanguage) ownCount += 1;
        return true;
      }),
    );
    if (fits && ownCount > 0)
      features.set(rule, { kind: rule.kind, severity: rule.severity, from, to });
  }
}

function latest(first: Sighting | undefined, second: Sighting | undefined): Sighting | undefined {
  if (!first || !second) return first ?? second;
  return first.position >= second.position ? first : second;
}

/** The classes that the words of a text may have, whatever stands before and behind it. */
export type ForeignMeaning = { allClasses: number; byLanguage: ReadonlyMap<number, number> };

export function foreignMeaningOf(text: string): ForeignMeaning {
  const classesByLanguage = new Map<number, number>();
  const see = ({ language, class: kind }: Hit) =>
    classesByLanguage.set(language, (classesByLanguage.get(language) ?? 0) | (1 << kind));
  for (const token of readTokens(text).tokens) {
    const { hits, begins, isRun } = entryOf(token.word);
    if (token.specialClass !== 0 || isRun)
      for (const { hit } of hitsOf([token], 0, token)) see(hit);
    else {
      for (const hit of hits) see(hit);
      for (const { hit } of begins) see(hit);
    }
  }
  let allClasses = 0;
  for (const languageClasses of classesByLanguage.values()) allClasses |= languageClasses;
  return { allClasses, byLanguage: classesByLanguage };
}

/** Can texts of these classes, one after the other, be an order? */
export function mayBeForeignOrder(meanings: readonly ForeignMeaning[]): boolean {
  // Mostly not even if all languages were one.
  if (!isPossible(meanings.reduce((sum, { allClasses }) => sum | allClasses, 0))) return false;
  const classesByLanguage = new Map<number, number>();
  for (const { byLanguage } of meanings)
    for (const [language, languageClasses] of byLanguage)
      classesByLanguage.set(language, (classesByLanguage.get(language) ?? 0) | languageClasses);
  const shared = classesByLanguage.get(anyLanguage) ?? 0;
  return classesByLanguage
    .entries()
    .some(
      ([language, languageClasses]) =>
        language !== anyLanguage && isPossible(languageClasses | shared),
    );
}

function isPossible(seenClasses: number): boolean {
  // Not to tell is one idea of two words.
  const withUntold = seenClasses & (1 << classOf("T")) ? seenClasses | (1 << untold) : seenClasses;
  return rules.some(({ needs }) =>
    needs.every((need) => need.some((kind) => withUntold & (1 << kind))),
  );
}

type PlacedHit = { hit: Hit; from: number; to: number };

function hitsOf(
  tokens: readonly Token[],
  index: number,
  { word, from, specialClass }: Token,
): PlacedHit[] {
  const to = from + word.length;
  if (specialClass !== 0)
    return [
      {
        hit: { language: anyLanguage, class: specialClass === bitOf.url ? url : secretFile },
        from,
        to,
      },
    ];
  const { hits, begins, isRun } = entryOf(word);
  if (isRun) return hitsInRun(word, from);
  if (begins.length === 0)
    return hits.length === 0 ? noHits : hits.map((hit) => ({ hit, from, to }));
  const fitting = begins.filter(({ tail, isStem }) =>
    tail.every((part, offset) => {
      const next = tokens[index + 1 + offset]?.word ?? "";
      return isStem && offset === tail.length - 1 ? next.startsWith(part) : next === part;
    }),
  );
  return [...hits, ...fitting.map(({ hit }) => hit)].map((hit) => ({ hit, from, to }));
}

const noHits: PlacedHit[] = [];

/** A word as the book has it: what it says by itself, and the expressions that it begins. */
type KnownWord = { hits: readonly Hit[]; begins: readonly Expression[]; isRun: boolean };

const knownWords = new Map<string, KnownWord>();
const maxKnown = 20_000;

function entryOf(word: string): KnownWord {
  const knownWord = knownWords.get(word);
  if (knownWord) return knownWord;
  const { words, stems, expressions } = book();
  const hits = [...(words.get(word) ?? [])];
  for (let size = 2; size <= Math.min(word.length, maxEntry); size++)
    hits.push(...(stems.get(word.slice(0, size)) ?? []));
  if (knownWords.size >= maxKnown) knownWords.clear();
  const newWord = { hits, begins: expressions.get(word) ?? [], isRun: unspaced.test(word) };
  knownWords.set(word, newWord);
  return newWord;
}

/** The longest entry at each place. */
function hitsInRun(run: string, index: number): PlacedHit[] {
  const { runs } = book();
  const hits: PlacedHit[] = [];
  for (let from = 0; from < run.length; ) {
    let size = Math.min(maxEntry, run.length - from);
    while (size > 1 && !runs.has(run.slice(from, from + size))) size -= 1;
    const start = index + from;
    const to = index + from + size;
    if (size > 1)
      for (const hit of runs.get(run.slice(from, from + size)) ?? [])
        hits.push({ hit, from: start, to });
    from += size;
  }
  return hits;
}
