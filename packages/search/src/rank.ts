import type { Likeness } from "./meaning.ts";
import type { Term, TermSource } from "./query-terms.ts";
import { type Corpus, type Mask, maxPerTerm, type Segment } from "./segment.ts";

/** `score` orders, `words` and `coverage` are between 0 and 1: the latter is the share of the query's words that it has. */
export type Ranked = {
  slot: number;
  score: number;
  words: number;
  coverage: number;
  points: Points;
};
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
/** A tool without a word of the query has to be at least so like it, and half as like as the most like one. A single word says little. */
const minLikeness = { word: 0.35, one: 0.15, several: 0.15 };
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
  meant: Mask;
  depth: number;
};

/** Adds up the postings of the query's words (BM25F), and looks at each tool once. */
export function createRanker(): (question: Question, corpus: Corpus) => Ranking {
  let sums = new Float64Array(0);
  let covered = new Float64Array(0);

  const makeRoom = (slots: number) => {
    if (sums.length < slots) {
      sums = new Float64Array(slots * 2);
      covered = new Float64Array(slots * 2);
    } else {
      sums.fill(0, 0, slots);
      covered.fill(0, 0, slots);
    }
  };

  return (question, corpus) => {
    makeRoom(corpus.slots);
    const found: FoundTerm[] = [];
    let whole = 0;
    let asked = 0;
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
    for (const term of found) addUp(term, sums, covered);
    const bestWords = weighWords(sums, covered, whole, question.meant);
    return { ...collect(corpus, question, { sums, covered, bestWords }), terms: found, asked };
  };
}

type Words = {
  /** By slot: the score by words, and the coverage. */
  sums: Float64Array;
  covered: Float64Array;
  bestWords: number;
};

function addUp(
  { weight, covers, ranges }: FoundTerm,
  sums: Float64Array,
  covered: Float64Array,
): void {
  for (const { segment, start, end } of ranges) {
    const { slots, worth } = segment;
    for (let at = start; at < end; at++) {
      const slot = slots[at] as number;
      sums[slot] = (sums[slot] as number) + weight * (worth[at] as number);
      covered[slot] = (covered[slot] as number) + covers;
    }
  }
}

/** Makes scores of the sums, and returns the best. Without branches: most of them would be guessed wrong. */
function weighWords(sums: Float64Array, covered: Float64Array, whole: number, meant: Mask): number {
  const perCovered = 1 / whole;
  const perSum = 1 / (whole * maxPerTerm * (1 + coverageBonus));
  let best = 1e-6;
  if (whole === 0) return best;
  for (let slot = 0; slot < meant.length; slot++) {
    const coverage = Math.min(1, (covered[slot] as number) * perCovered);
    const words =
      (sums[slot] as number) * perSum * (1 + coverageBonus * coverage) * (meant[slot] as number);
    covered[slot] = coverage;
    sums[slot] = words;
    if (words > best) best = words;
  }
  return best;
}

/** How like the meant tools are, on average and at best. */
function weighLikeness(values: Float32Array, meant: Mask): { usual: number; most: number } {
  let sum = 0;
  let count = 0;
  let most = 0;
  for (let slot = 0; slot < meant.length; slot++) {
    if (meant[slot] === 0) continue;
    const like = values[slot] as number;
    sum += like;
    count += 1;
    if (like > most) most = like;
  }
  return { usual: sum / Math.max(1, count), most };
}

const noValues = new Float32Array(0);

function collect(corpus: Corpus, question: Question, { sums, covered, bestWords }: Words) {
  const { likeness, learned, depth, meant } = question;
  const values = likeness?.values ?? noValues;
  const { usual, most } = likeness === null ? { usual: 0, most: 0 } : weighLikeness(values, meant);
  const verbs = likeness === null ? 0 : question.verbs;
  const perLikeness =
    likeness === null ? 0 : likenessWeight[question.needs] / Math.max(minSpread, most - usual);
  const leastLike = Math.max(minLikeness[question.needs], most * leastShare);
  const best = createBest(depth, corpus.compare);
  const isLike = likeness !== null;
  const isLearned = learned.size > 0;
  const verbsOf = corpus.verbs;
  let total = 0;
  let least = Number.NEGATIVE_INFINITY;
  for (let slot = 0; slot < meant.length; slot++) {
    if (meant[slot] === 0) continue;
    const words = sums[slot] as number;
    const like = isLike ? (values[slot] as number) : 0;
    const byUse = isLearned ? (learned.get(slot) ?? 0) : 0;
    if (words === 0 && like < leastLike && byUse === 0) continue;
    total += 1;
    const byLikeness = like > usual ? (like - usual) * perLikeness : 0;
    const byVerb = (verbs & (verbsOf[slot] as number)) !== 0 ? verbBonus : 0;
    const byWords = words / bestWords;
    const score = byWords + byLikeness + byVerb + byUse;
    if (score < least) continue;
    const points = { words: byWords, likeness: byLikeness, verb: byVerb, learned: byUse };
    least = best.offer({ slot, score, words, coverage: covered[slot] as number, points });
  }
  return { total, best: best.kept };
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
    else
      for (let at = start; at < end; at++)
        if (corpus.isAlive(segment.slots[at] as number)) count += 1;
  }
  return { count, ranges };
}

/** Words that none of the meant tools has; other tools are not revealed. */
export function unknownWords(terms: readonly FoundTerm[], meant: Mask): string[] {
  const isThere = hasSlot((slot) => meant[slot] === 1);
  return terms.flatMap(({ word, ranges }) => (word === null || ranges.some(isThere) ? [] : word));
}

function hasSlot(test: (slot: number) => boolean) {
  return ({ segment, start, end }: Range) => segment.slots.subarray(start, end).some(test);
}

export function lackingWords(terms: readonly FoundTerm[], best: readonly Ranked[]): string[] {
  const slots = new Set(best.map(({ slot }) => slot));
  const isThere = hasSlot((slot) => slots.has(slot));
  const had = new Set(terms.filter(({ ranges }) => ranges.some(isThere)).map(({ of }) => of));
  return terms.flatMap(({ word }) =>
    word === null || had.has(word) || slots.size === 0 ? [] : word,
  );
}

function rarityOf(count: number, all: number): number {
  return Math.log(1 + (all - count + 0.5) / (count + 0.5));
}

/** The best so far, in order. */
function createBest(depth: number, compare: Corpus["compare"]) {
  const kept: Ranked[] = [];
  const isBefore = (one: Ranked, other: Ranked) =>
    one.score > other.score || (one.score === other.score && compare(one.slot, other.slot) < 0);
  return {
    kept,
    /** Returns the score below which nothing is kept. */
    offer(one: Ranked): number {
      let at = kept.length;
      while (at > 0 && isBefore(one, kept[at - 1] as Ranked)) {
        kept[at] = kept[at - 1] as Ranked;
        at -= 1;
      }
      kept[at] = one;
      if (kept.length > depth) kept.pop();
      return kept.length < depth ? Number.NEGATIVE_INFINITY : (kept[depth - 1] as Ranked).score;
    },
  };
}
