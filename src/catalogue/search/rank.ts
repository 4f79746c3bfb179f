import type { Likeness } from "./meaning.ts";
import type { Term, TermSource } from "./query-terms.ts";
import { type Corpus, maxPerTerm, type Segment, type Test } from "./segment.ts";

/** `score` orders, `words` and `coverage` are between 0 and 1: the latter is the share of the query's words that it has. */
export type Ranked = { slot: number; score: number; words: number; coverage: number; points: Points };
/** What a score consists of. */
export type Points = { words: number; likeness: number; verb: number; learned: number };

type Range = { segment: Segment; start: number; end: number };
export type FoundTerm = {
  /** The word of the query; null for its other forms. */
  word: string | null;
  /** The word of the query, also for other forms. */
  of: string;
  weight: number;
  covers: number;
  from: TermSource;
  ranges: Range[];
};

/** `total` counts the tools that fit, `asked` the words of the query. */
export type Ranking = { total: number; best: Ranked[]; terms: FoundTerm[]; asked: number };

/** Favours all of the words over some of them often. */
const coverageBonus = 0.5;
/** What the most like tool gets for it, beside 1 for the tool with the best words. A single word may be half a name. */
const likenessWeight = { word: 0.75, one: 1.5, several: 1.25 };
/** Where the most like tool is hardly above the average, the vectors know nothing about the query. */
const minSpread = 0.2;
/** A tool without a word of the query has to be at least so like it, and half as like as the most like one. */
const minLikeness = 0.15;
const leastShare = 0.5;
/** For a name with a verb of the same kind. */
const verbBonus = 0.15;

type Question = {
  terms: readonly Term[];
  /** The kinds of its verbs, as bits. */
  verbs: number;
  needs: keyof typeof likenessWeight;
  likeness: Likeness | null;
  /** What earlier use adds, by slot. */
  learned: ReadonlyMap<number, number>;
  isMeant: Test;
  depth: number;
};

/** Adds up the postings of the query's words (BM25F), and looks at each tool once. */
export function createRanker(): (question: Question, corpus: Corpus) => Ranking {
  let sums = new Float64Array(0);
  let covered = new Float64Array(0);
  let meant = new Uint8Array(0);

  const makeRoom = (slots: number) => {
    if (sums.length >= slots) return;
    sums = new Float64Array(slots * 2);
    covered = new Float64Array(slots * 2);
    meant = new Uint8Array(slots * 2);
  };
  const addUp = ({ weight, covers, ranges }: FoundTerm) => {
    for (const { segment, start, end } of ranges) {
      const { slots, worth } = segment;
      for (let at = start; at < end; at++) {
        const slot = slots[at] as number;
        sums[slot] = (sums[slot] as number) + weight * (worth[at] as number);
        covered[slot] = (covered[slot] as number) + covers;
      }
    }
  };
  /** Scores by words, in place; and how like the meant tools are, on average and at best. */
  const weigh = (whole: number, { slots, isAlive }: Corpus, { isMeant, likeness }: Question) => {
    let [bestWords, sum, count, most] = [1e-6, 0, 0, 0];
    const values = likeness?.values;
    for (let slot = 0; slot < slots; slot++) {
      const isOne = isAlive(slot) && isMeant(slot);
      meant[slot] = isOne ? 1 : 0;
      if (!isOne) {
        sums[slot] = 0;
        covered[slot] = 0;
        continue;
      }
      if (sums[slot] !== 0) {
        const coverage = Math.min(1, (covered[slot] as number) / whole);
        const words = ((sums[slot] as number) / (whole * maxPerTerm)) * bonusFor(coverage);
        covered[slot] = coverage;
        sums[slot] = words;
        if (words > bestWords) bestWords = words;
      }
      if (values === undefined) continue;
      const like = values[slot] as number;
      sum += like;
      count += 1;
      if (like > most) most = like;
    }
    return { bestWords, usual: sum / Math.max(1, count), most };
  };
  const collect = (corpus: Corpus, question: Question, { bestWords, usual, most }: ReturnType<typeof weigh>) => {
    const { likeness, learned, depth } = question;
    const values = likeness?.values;
    const verbs = values === undefined ? 0 : question.verbs;
    const perLikeness = likenessWeight[question.needs] / Math.max(minSpread, most - usual);
    const leastLike = Math.max(minLikeness, most * leastShare);
    const best = createBest(depth, corpus.compare);
    let total = 0;
    for (let slot = 0; slot < corpus.slots; slot++) {
      if (meant[slot] === 0) continue;
      const words = sums[slot] as number;
      const coverage = covered[slot] as number;
      sums[slot] = 0;
      covered[slot] = 0;
      const like = values === undefined ? 0 : (values[slot] as number);
      const byUse = learned.size === 0 ? 0 : (learned.get(slot) ?? 0);
      if (words === 0 && like < leastLike && byUse === 0) continue;
      total += 1;
      const byLikeness = values === undefined ? 0 : Math.max(0, like - usual) * perLikeness;
      const byVerb = (verbs & (corpus.verbs[slot] as number)) !== 0 ? verbBonus : 0;
      const byWords = words / bestWords;
      const score = byWords + byLikeness + byVerb + byUse;
      if (!best.isWanted(slot, score)) continue;
      const points = { words: byWords, likeness: byLikeness, verb: byVerb, learned: byUse };
      best.offer({ slot, score, words, coverage, points });
    }
    return { total, best: best.kept };
  };

  return (question, corpus) => {
    makeRoom(corpus.slots);
    const found: FoundTerm[] = [];
    let [whole, asked] = [0, 0];
    for (const { key, word, weight, from, isAsked, isForm } of question.terms) {
      const { count: having, ranges } = findTerm(key, corpus);
      const telling = weight * rarityOf(having, corpus.alive);
      if (isAsked) {
        whole += telling;
        asked += 1;
      }
      found.push({
        word: isAsked ? word : null,
        of: word,
        weight: telling,
        covers: isForm ? 0 : telling,
        from,
        ranges,
      });
    }
    for (const term of found) addUp(term);
    return { ...collect(corpus, question, weigh(whole, corpus, question)), terms: found, asked };
  };
}

function bonusFor(coverage: number): number {
  return (1 + coverageBonus * coverage) / (1 + coverageBonus);
}

function findTerm(key: string, corpus: Corpus): { count: number; ranges: Range[] } {
  const ranges: Range[] = [];
  const term = corpus.termOf(key);
  let count = 0;
  if (term === undefined) return { count, ranges };
  for (const segment of corpus.segments) {
    if (term + 1 >= segment.starts.length) continue;
    const start = segment.starts[term] as number;
    const end = segment.starts[term + 1] as number;
    if (start === end) continue;
    ranges.push({ segment, start, end });
    if (corpus.alive === corpus.slots) count += end - start;
    else for (let at = start; at < end; at++) if (corpus.isAlive(segment.slots[at] as number)) count += 1;
  }
  return { count, ranges };
}

/** Words that none of the meant tools has; other tools are not revealed. */
export function unknownWords(terms: readonly FoundTerm[], { isAlive }: Corpus, isMeant: Test): string[] {
  const isThere = hasSlot((slot) => isAlive(slot) && isMeant(slot));
  return terms.flatMap(({ word, ranges }) => (word === null || ranges.some(isThere) ? [] : word));
}

function hasSlot(test: Test) {
  return ({ segment, start, end }: Range) => segment.slots.subarray(start, end).some(test);
}

export function lackingWords(terms: readonly FoundTerm[], best: readonly Ranked[]): string[] {
  const slots = new Set(best.map(({ slot }) => slot));
  const isThere = hasSlot((slot) => slots.has(slot));
  const had = new Set(terms.filter(({ ranges }) => ranges.some(isThere)).map(({ of }) => of));
  return terms.flatMap(({ word }) => (word === null || had.has(word) || slots.size === 0 ? [] : word));
}

function rarityOf(count: number, all: number): number {
  return Math.log(1 + (all - count + 0.5) / (count + 0.5));
}

/** The best so far, in order; most offers are worse than all of them. */
function createBest(depth: number, compare: Corpus["compare"]) {
  const kept: Ranked[] = [];
  const isBefore = (slot: number, score: number, other: Ranked) =>
    score > other.score || (score === other.score && compare(slot, other.slot) < 0);
  return {
    kept,
    isWanted: (slot: number, score: number) => kept.length < depth || isBefore(slot, score, kept[depth - 1] as Ranked),
    offer(one: Ranked): void {
      let at = kept.length === depth ? depth - 1 : kept.length;
      while (at > 0 && isBefore(one.slot, one.score, kept[at - 1] as Ranked)) {
        kept[at] = kept[at - 1] as Ranked;
        at -= 1;
      }
      kept[at] = one;
    },
  };
}
