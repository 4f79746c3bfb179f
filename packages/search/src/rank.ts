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
  queryWord: string;
  weight: number;
  covers: number;
  from: TermSource;
  ranges: Range[];
};

/** `total` counts the tools that fit, `wordCount` the words of the query. */
export type Ranking = { total: number; best: Ranked[]; terms: FoundTerm[]; wordCount: number };

/** Favours all of the words over some of them often. */
const coverageBonus = 0.5;
/** What the most like tool gets for it, beside 1 for the tool with the best words. A single word may be half a name. */
const likenessWeight = { word: 0.75, one: 1.5, several: 1.25 };
/** Where the most like tool is hardly above the average, the vectors know nothing about the query. */
const minSpread = 0.2;
/** A tool without a word of the query has to be at least so like it, and half as like as the most like one. A single word says little. */
const minLikeness = { word: 0.35, one: 0.15, several: 0.15 };
const minLikenessShare = 0.5;
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
  mask: Mask;
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
    const foundTerms: FoundTerm[] = [];
    let totalWeight = 0;
    let wordCount = 0;
    for (const { key, word, weight, from, isQueryWord, isForm } of question.terms) {
      const { count: toolCount, ranges } = findTerm(key, corpus);
      const termWeight = weight * rarityOf(toolCount, corpus.alive);
      if (isQueryWord) {
        totalWeight += termWeight;
        wordCount += 1;
      }
      foundTerms.push({
        word: isQueryWord ? word : null,
        queryWord: word,
        weight: termWeight,
        covers: isForm ? 0 : termWeight,
        from,
        ranges,
      });
    }
    for (const term of foundTerms) addTerm(term, sums, covered);
    const bestWords = weighWords(sums, covered, totalWeight, question.mask);
    return {
      ...collect(corpus, question, { sums, covered, bestWords }),
      terms: foundTerms,
      wordCount,
    };
  };
}

type Words = {
  /** By slot: the score by words, and the coverage. */
  sums: Float64Array;
  covered: Float64Array;
  bestWords: number;
};

function addTerm(
  { weight, covers, ranges }: FoundTerm,
  sums: Float64Array,
  covered: Float64Array,
): void {
  for (const { segment, start, end } of ranges) {
    const { slots, worth } = segment;
    for (let posting = start; posting < end; posting++) {
      const slot = slots[posting] as number;
      sums[slot] = (sums[slot] as number) + weight * (worth[posting] as number);
      covered[slot] = (covered[slot] as number) + covers;
    }
  }
}

/** Makes scores of the sums, and returns the best. Without branches: most of them would be guessed wrong. */
function weighWords(
  sums: Float64Array,
  covered: Float64Array,
  totalWeight: number,
  mask: Mask,
): number {
  const perCovered = 1 / totalWeight;
  const perSum = 1 / (totalWeight * maxPerTerm * (1 + coverageBonus));
  let best = 1e-6;
  if (totalWeight === 0) return best;
  for (let slot = 0; slot < mask.length; slot++) {
    const coverage = Math.min(1, (covered[slot] as number) * perCovered);
    const wordScore =
      (sums[slot] as number) * perSum * (1 + coverageBonus * coverage) * (mask[slot] as number);
    covered[slot] = coverage;
    sums[slot] = wordScore;
    if (wordScore > best) best = wordScore;
  }
  return best;
}

/** How like the meant tools are, on average and at best. */
function weighLikeness(values: Float32Array, mask: Mask): { usual: number; most: number } {
  let sum = 0;
  let count = 0;
  let most = 0;
  for (let slot = 0; slot < mask.length; slot++) {
    if (mask[slot] === 0) continue;
    const like = values[slot] as number;
    sum += like;
    count += 1;
    if (like > most) most = like;
  }
  return { usual: sum / Math.max(1, count), most };
}

/** Without vectors, neither likeness nor the kind of a verb counts. */
function weighMeaning({ likeness, mask, needs, verbs }: Question) {
  if (likeness === null) return { verbs: 0, usual: 0, perLikeness: 0, minLike: minLikeness[needs] };
  const { usual, most } = weighLikeness(likeness.values, mask);
  return {
    verbs,
    usual,
    perLikeness: likenessWeight[needs] / Math.max(minSpread, most - usual),
    minLike: Math.max(minLikeness[needs], most * minLikenessShare),
  };
}

const noValues = new Float32Array(0);

function collect(corpus: Corpus, question: Question, { sums, covered, bestWords }: Words) {
  const { likeness, learned, depth, mask } = question;
  const values = likeness?.values ?? noValues;
  const { verbs, usual, perLikeness, minLike } = weighMeaning(question);
  const best = createBest(depth, corpus.compare);
  const isLike = likeness !== null;
  const isLearned = learned.size > 0;
  const verbsOf = corpus.verbs;
  let total = 0;
  let minScore = Number.NEGATIVE_INFINITY;
  for (let slot = 0; slot < mask.length; slot++) {
    if (mask[slot] === 0) continue;
    const wordScore = sums[slot] as number;
    const like = isLike ? (values[slot] as number) : 0;
    const byUse = isLearned ? (learned.get(slot) ?? 0) : 0;
    if (wordScore === 0 && like < minLike && byUse === 0) continue;
    total += 1;
    const byLikeness = like > usual ? (like - usual) * perLikeness : 0;
    const byVerb = verbs & (verbsOf[slot] as number) ? verbBonus : 0;
    const byWords = wordScore / bestWords;
    const score = byWords + byLikeness + byVerb + byUse;
    if (score < minScore) continue;
    const points = { words: byWords, likeness: byLikeness, verb: byVerb, learned: byUse };
    const coverage = covered[slot] as number;
    minScore = best.offer({ slot, score, words: wordScore, coverage, points });
  }
  return { total, best: best.ranked };
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
      for (let posting = start; posting < end; posting++)
        if (corpus.isAlive(segment.slots[posting] as number)) count += 1;
  }
  return { count, ranges };
}

/** Words that none of the meant tools has; other tools are not revealed. */
export function unknownWords(terms: readonly FoundTerm[], mask: Mask): string[] {
  const hasMeantTool = hasSlot((slot) => mask[slot] === 1);
  return terms.flatMap(({ word, ranges }) =>
    word === null || ranges.some(hasMeantTool) ? [] : word,
  );
}

function hasSlot(test: (slot: number) => boolean) {
  return ({ segment, start, end }: Range) => segment.slots.subarray(start, end).some(test);
}

export function lackingWords(terms: readonly FoundTerm[], best: readonly Ranked[]): string[] {
  const slots = new Set(best.map(({ slot }) => slot));
  const hasBestTool = hasSlot((slot) => slots.has(slot));
  const coveredWords = new Set(
    terms.filter(({ ranges }) => ranges.some(hasBestTool)).map(({ queryWord }) => queryWord),
  );
  return terms.flatMap(({ word }) =>
    word === null || coveredWords.has(word) || slots.size === 0 ? [] : word,
  );
}

function rarityOf(count: number, toolCount: number): number {
  return Math.log(1 + (toolCount - count + 0.5) / (count + 0.5));
}

/** The best so far, in order. */
function createBest(depth: number, compare: Corpus["compare"]) {
  const ranked: Ranked[] = [];
  const isBefore = (a: Ranked, b: Ranked) =>
    a.score > b.score || (a.score === b.score && compare(a.slot, b.slot) < 0);
  return {
    ranked,
    /** Returns the score below which nothing is kept. */
    offer(candidate: Ranked): number {
      let position = ranked.length;
      while (position > 0 && isBefore(candidate, ranked[position - 1] as Ranked)) {
        ranked[position] = ranked[position - 1] as Ranked;
        position -= 1;
      }
      ranked[position] = candidate;
      if (ranked.length > depth) ranked.pop();
      return ranked.length < depth ? Number.NEGATIVE_INFINITY : (ranked[depth - 1] as Ranked).score;
    },
  };
}
