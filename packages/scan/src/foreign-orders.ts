import { once } from "../../../src/lib/async/once.ts";
import { type FeatureFound, readTokens, type Token, tokensOf } from "./features.ts";
import { foldText } from "./fold.ts";
import { languages } from "./languages.ts";
import { bitOf } from "./lexicon.ts";

/** The classes of `languages.ts`; then a telling with its "not" beside it, an address and a file with secrets. */
const classes = "ROXNTUPHSLC";
const classOf = (letter: string) => classes.indexOf(letter);
const untold = classes.length;
const url = untold + 1;
const place = url + 1;
const width = place + 1;

/** Words that most languages borrow. They count in every language, and alone they are none. */
const borrowed =
  "any P user L password* credentials token* api_key* ssh secrets C chat* O system_prompt* prompt prompts";
const anyLanguage = 0;

/** English words that other languages spell alike: alone they are no word of those. */
const alike = new Set([
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
type Expression = { rest: readonly string[]; isStem: boolean; hit: Hit };
type Book = {
  words: Map<string, Hit[]>;
  stems: Map<string, Hit[]>;
  expressions: Map<string, Expression[]>;
  /** Of scripts without spaces between words. */
  runs: Map<string, Hit[]>;
};

const unspaced = /[\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff]/;
const isEnd = /^[.!?;\n]$/;
const gap = 4;
const maxNot = 4;
const maxEntry = 24;

/** Built with the first text that is read: most starts scan nothing. */
const book = once((): Book => {
  const built: Book = {
    words: new Map(),
    stems: new Map(),
    expressions: new Map(),
    runs: new Map(),
  };
  for (const [language, line] of [borrowed, ...languages.trim().split("\n")].entries()) {
    let kind = 0;
    for (const entry of line.split(" ").slice(1)) {
      if (/^[A-Z]$/.test(entry)) kind = classOf(entry);
      else put(built, entry, { language, class: kind });
    }
  }
  return built;
});

function put({ words, stems, expressions, runs }: Book, entry: string, hit: Hit): void {
  const isStem = entry.endsWith("*");
  const spelled = foldText(entry.replace("*", "").replaceAll("_", " ")).text;
  // Read as texts are read, so that apostrophes and hyphens part the same words.
  const parts = tokensOf(spelled).map(({ word }) => word);
  const [first = "", ...rest] = parts;
  if (unspaced.test(first)) add(runs, parts.join(""), hit);
  else if (rest.length > 0) add(expressions, first, { rest, isStem, hit });
  else add(isStem ? stems : words, first, hit);
}

function add<T>(map: Map<string, T[]>, key: string, value: T): void {
  const before = map.get(key);
  if (before) before.push(value);
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
  { kind: "secret_request", severity: "high", within: 12, needs: [anyOf("S"), [place]] },
];

type Seen = { at: number; from: number; isOwn: boolean };
type Page = (Seen | undefined)[];

/** Orders in one of some eighty languages, whose words are all of that language; linear in the length of the text. */
export function findForeignOrders(text: string): FeatureFound[] {
  const { folded, tokens } = readTokens(text);
  const pages = new Map<number, Page>([[anyLanguage, new Array<Seen | undefined>(width)]]);
  const shared = pages.get(anyLanguage) ?? [];
  const found = new Map<Rule, FeatureFound>();
  let at = 0;
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as Token;
    at += token.word.length === 1 && isEnd.test(token.word) ? gap : 1;
    for (const { hit, from, to } of hitsOf(tokens, index, token)) {
      const page = pages.get(hit.language) ?? new Array<Seen | undefined>(width);
      pages.set(hit.language, page);
      const here = { at, from, isOwn: hit.language !== anyLanguage && !alike.has(token.word) };
      page[hit.class] = here;
      markUntold(page, hit.class, here);
      if (hit.language !== anyLanguage) judge(page, shared, at, to, found);
      else
        for (const [language, other] of pages)
          if (language !== anyLanguage) judge(other, shared, at, to, found);
    }
  }
  return [...found.values()].map((one) => ({
    ...one,
    from: folded.at(one.from),
    to: folded.at(one.to),
  }));
}

/** Not to tell is one idea: most languages put the "not" shortly before, some shortly after. */
function markUntold(page: Page, kind: number, here: Seen): void {
  const near = (letter: string) =>
    here.at - (page[classOf(letter)]?.at ?? Number.NEGATIVE_INFINITY) <= maxNot;
  if (kind === classOf("T") ? near("N") : "NX".includes(classes[kind] ?? " ") && near("T"))
    page[untold] = here;
}

function judge(
  page: Page,
  shared: Page,
  at: number,
  to: number,
  found: Map<Rule, FeatureFound>,
): void {
  for (const rule of rules) {
    if (found.has(rule)) continue;
    let from = Number.POSITIVE_INFINITY;
    let own = 0;
    const fits = rule.needs.every((need) =>
      need.some((kind) => {
        const seen = latest(page[kind], shared[kind]);
        if (!seen || seen.at < at - rule.within) return false;
        from = Math.min(from, seen.from);
        own += seen.isOwn ? 1 : 0;
        return true;
      }),
    );
    if (fits && own > 0) found.set(rule, { kind: rule.kind, severity: rule.severity, from, to });
  }
}

function latest(one: Seen | undefined, other: Seen | undefined): Seen | undefined {
  return one && other ? (one.at >= other.at ? one : other) : (one ?? other);
}

/** The classes that the words of a text may have, whatever stands before and behind it. */
export type ForeignMeaning = { all: number; byLanguage: ReadonlyMap<number, number> };

export function foreignMeaningOf(text: string): ForeignMeaning {
  const found = new Map<number, number>();
  const see = ({ language, class: kind }: Hit) =>
    found.set(language, (found.get(language) ?? 0) | (1 << kind));
  for (const token of readTokens(text).tokens) {
    const { hits, begins, isRun } = entryOf(token.word);
    if (token.special !== 0 || isRun) for (const { hit } of hitsOf([token], 0, token)) see(hit);
    else {
      for (const hit of hits) see(hit);
      for (const { hit } of begins) see(hit);
    }
  }
  let all = 0;
  for (const classes of found.values()) all |= classes;
  return { all, byLanguage: found };
}

/** Can texts of these classes, one after the other, be an order? */
export function mayBeForeignOrder(meanings: readonly ForeignMeaning[]): boolean {
  // Mostly not even if all languages were one.
  if (!isPossible(meanings.reduce((sum, { all }) => sum | all, 0))) return false;
  const all = new Map<number, number>();
  for (const { byLanguage } of meanings)
    for (const [language, classes] of byLanguage)
      all.set(language, (all.get(language) ?? 0) | classes);
  const shared = all.get(anyLanguage) ?? 0;
  return all
    .entries()
    .some(([language, own]) => language !== anyLanguage && isPossible(own | shared));
}

function isPossible(all: number): boolean {
  // Not to tell is one idea of two words.
  const seen = all & (1 << classOf("T")) ? all | (1 << untold) : all;
  return rules.some(({ needs }) => needs.every((need) => need.some((kind) => seen & (1 << kind))));
}

type Place = { hit: Hit; from: number; to: number };

function hitsOf(tokens: readonly Token[], index: number, { word, from, special }: Token): Place[] {
  const to = from + word.length;
  if (special !== 0)
    return [
      { hit: { language: anyLanguage, class: special === bitOf.url ? url : place }, from, to },
    ];
  const { hits, begins, isRun } = entryOf(word);
  if (isRun) return hitsInRun(word, from);
  if (begins.length === 0) return hits.length === 0 ? none : hits.map((hit) => ({ hit, from, to }));
  const fitting = begins.filter(({ rest, isStem }) =>
    rest.every((part, at) => {
      const next = tokens[index + 1 + at]?.word ?? "";
      return isStem && at === rest.length - 1 ? next.startsWith(part) : next === part;
    }),
  );
  return [...hits, ...fitting.map(({ hit }) => hit)].map((hit) => ({ hit, from, to }));
}

const none: Place[] = [];

/** A word as the book has it: what it says by itself, and the expressions that it begins. */
type Known = { hits: readonly Hit[]; begins: readonly Expression[]; isRun: boolean };

const known = new Map<string, Known>();
const maxKnown = 20_000;

function entryOf(word: string): Known {
  const before = known.get(word);
  if (before) return before;
  const { words, stems, expressions } = book();
  const hits = [...(words.get(word) ?? [])];
  for (let size = 2; size <= Math.min(word.length, maxEntry); size++)
    hits.push(...(stems.get(word.slice(0, size)) ?? []));
  if (known.size >= maxKnown) known.clear();
  const made = { hits, begins: expressions.get(word) ?? [], isRun: unspaced.test(word) };
  known.set(word, made);
  return made;
}

/** The longest entry at each place. */
function hitsInRun(run: string, index: number): Place[] {
  const { runs } = book();
  const found: Place[] = [];
  for (let from = 0; from < run.length; ) {
    let size = Math.min(maxEntry, run.length - from);
    while (size > 1 && !runs.has(run.slice(from, from + size))) size -= 1;
    const start = index + from;
    const to = index + from + size;
    if (size > 1)
      for (const hit of runs.get(run.slice(from, from + size)) ?? [])
        found.push({ hit, from: start, to });
    from += size;
  }
  return found;
}
