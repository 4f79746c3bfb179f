import type { Hit } from "./fields.ts";
import { type Synonyms, type Term, termsOf } from "./query-terms.ts";
import { type Corpus, maxPerTerm, type Segment, type Test } from "./segment.ts";
import type { ToolIndex } from "./tool-index.ts";

/** Best first, named tools before all others. */
export type Found = {
  total: number;
  named: Hit[];
  hits: Hit[];
  /** The share of the query that the best of them has. */
  coverage: number;
  asked: number;
  /** Words that no tool has. */
  unknown(): string[];
  /** Words that none of the best has in any form. */
  lacking(): string[];
};

/** Candidates for diversification. */
const minDepth = 50;
/** Hits that an answer shows at least. */
const shown = 5;

export type FindWords = (query: string, isMeant: Test, count: number) => Found;

export function createFindWords(index: ToolIndex, synonyms?: () => Synonyms): FindWords {
  const rank = createRanker();
  const toHit = ({ slot, score }: { slot: number; score: number }) => ({ tool: index.toolAt(slot), score });
  return (query, isMeant, count) => {
    // A query with spaces is words, unless it is exactly the name of a tool.
    const isLoose = !/\s/.test(query);
    const named = index.named(query, isLoose).filter(isMeant);
    const isNamed = new Set(named);
    const depth = Math.max(minDepth, count + named.length);
    const ranking = rank(termsOf(query, synonyms?.()), index.corpus(), isMeant, depth);
    const others = diversify(ranking).filter(({ slot }) => !isNamed.has(slot));
    const first = named.map((slot) => toHit({ slot, score: 1 }));
    return {
      total: Math.max(ranking.total, first.length + others.length),
      named: first,
      hits: [...first, ...others.map(toHit)].slice(0, count),
      coverage: first.length > 0 ? 1 : Math.max(0, ...others.slice(0, shown).map((one) => one.coverage)),
      asked: ranking.asked,
      unknown: () => unknownWords(ranking.terms, index.corpus(), isMeant),
      lacking: () => (first.length > 0 ? [] : lackingWords(ranking.terms, others.slice(0, shown))),
    };
  };
}

/** The weight of a word for the next tool, after a chosen one has covered it fully. */
const leftOfLong = 0.85;
/** So many words ask for one thing; twice as many probably for several. */
const wordsPerIntent = 6;
const maxChosen = 15;

/** Diversifies: words that a chosen tool covers count less for the next, so that one half of a query does not crowd out the other. */
function diversify({ best: candidates, terms, asked }: Ranking): Ranked[] {
  const taken = (1 - leftOfLong) * Math.min(1, Math.max(0, asked / wordsPerIntent - 1));
  if (candidates.length < 2 || taken === 0) return candidates;
  const parts = candidates.map(({ slot }) => partsOf(slot, terms));
  const wholes = parts.map((row) => row.reduce((sum, part) => sum + part, 0));
  const most = new Float64Array(terms.length);
  for (const row of parts) {
    for (let at = 0; at < row.length; at++) most[at] = Math.max(most[at] as number, row[at] as number);
  }
  const remaining = new Float64Array(terms.length).fill(1);
  const open = candidates.map((candidate, at) => ({ candidate, at, score: candidate.score }));
  const chosen: Ranked[] = [];
  while (chosen.length < maxChosen && open.length > 0) {
    let best = 0;
    for (const [place, one] of open.entries()) {
      const row = parts[one.at] as Float64Array;
      one.score = (one.candidate.score * dot(row, remaining)) / (wholes[one.at] as number);
      if (one.score > (open[best]?.score ?? 0)) best = place;
    }
    const [{ candidate, at, score }] = open.splice(best, 1) as [(typeof open)[number]];
    chosen.push({ ...candidate, score });
    const row = parts[at] as Float64Array;
    for (let term = 0; term < remaining.length; term++) {
      const brought = most[term] === 0 ? 0 : (row[term] as number) / (most[term] as number);
      remaining[term] = (remaining[term] as number) * (1 - taken * brought);
    }
  }
  const last = chosen.at(-1)?.score ?? 0;
  return [...chosen, ...open.map(({ candidate, score }) => ({ ...candidate, score: Math.min(score, last) }))];
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

function partsOf(slot: number, terms: readonly FoundTerm[]): Float64Array {
  const parts = new Float64Array(terms.length);
  for (const [at, { weight, ranges }] of terms.entries()) {
    for (const { segment, start, end } of ranges) {
      const place = placeOf(segment, slot, start, end);
      if (place >= 0) parts[at] = weight * (segment.worth[place] as number);
    }
  }
  return parts;
}

function placeOf({ slots }: Segment, slot: number, start: number, end: number): number {
  let low = start;
  let high = end - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const there = slots[middle] as number;
    if (there === slot) return middle;
    if (there < slot) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** `score` is near 1 for a tool with every word in its name; `coverage` is the share of the words that it has. */
type Ranked = { slot: number; score: number; coverage: number };

type Range = { segment: Segment; start: number; end: number };
type FoundTerm = {
  /** The word of the query; null for its other forms. */
  word: string | null;
  /** The word of the query, also for other forms. */
  of: string;
  weight: number;
  covers: number;
  ranges: Range[];
};

/** `total` counts the tools with a word of the query, `asked` its words. */
type Ranking = { total: number; best: Ranked[]; terms: FoundTerm[]; asked: number };

/** Favours all of the words over some of them often. */
const coverageBonus = 0.5;

type Rank = (terms: readonly Term[], corpus: Corpus, isMeant: Test, depth: number) => Ranking;

/** Reads only the postings of the query's terms. */
function createRanker(): Rank {
  let sums = new Float64Array(0);
  let covered = new Float64Array(0);
  let touched = new Int32Array(0);
  let count = 0;

  const makeRoom = (slots: number) => {
    if (sums.length >= slots) return;
    sums = new Float64Array(slots * 2);
    covered = new Float64Array(slots * 2);
    touched = new Int32Array(slots * 2);
  };
  const addUp = ({ weight, covers, ranges }: FoundTerm) => {
    for (const { segment, start, end } of ranges) {
      const { slots, worth } = segment;
      for (let at = start; at < end; at++) {
        const slot = slots[at] as number;
        if (sums[slot] === 0) touched[count++] = slot;
        sums[slot] = (sums[slot] as number) + weight * (worth[at] as number);
        covered[slot] = (covered[slot] as number) + covers;
      }
    }
  };
  const collect = (whole: number, { isAlive, compare }: Corpus, isMeant: Test, depth: number) => {
    const best = createBest(depth, compare);
    let total = 0;
    for (let at = 0; at < count; at++) {
      const slot = touched[at] as number;
      const coverage = Math.min(1, (covered[slot] as number) / whole);
      const score = ((sums[slot] as number) / (whole * maxPerTerm)) * bonusFor(coverage);
      sums[slot] = 0;
      covered[slot] = 0;
      if (!isAlive(slot) || !isMeant(slot)) continue;
      total += 1;
      best.offer(slot, score, coverage);
    }
    count = 0;
    return { total, best: best.kept };
  };

  return (terms, corpus, isMeant, depth) => {
    makeRoom(corpus.slots);
    const found: FoundTerm[] = [];
    let whole = 0;
    for (const { key, word, weight, isAsked, isForm } of terms) {
      const { count: having, ranges } = findTerm(key, corpus);
      const telling = weight * rarityOf(having, corpus.alive);
      if (isAsked) whole += telling;
      found.push({ word: isAsked ? word : null, of: word, weight: telling, covers: isForm ? 0 : telling, ranges });
    }
    for (const term of found) addUp(term);
    const asked = terms.filter(({ isAsked }) => isAsked).length;
    return { ...collect(whole, corpus, isMeant, depth), terms: found, asked };
  };
}

function bonusFor(coverage: number): number {
  return (1 + coverageBonus * coverage) / (1 + coverageBonus);
}

function findTerm(key: string, corpus: Corpus): { count: number; ranges: Range[] } {
  const ranges: Range[] = [];
  let count = 0;
  for (const segment of corpus.segments) {
    const row = segment.rows.get(key);
    if (row === undefined) continue;
    const start = segment.starts[row] as number;
    const end = segment.starts[row + 1] as number;
    ranges.push({ segment, start, end });
    if (corpus.alive === corpus.slots) count += end - start;
    else for (let at = start; at < end; at++) if (corpus.isAlive(segment.slots[at] as number)) count += 1;
  }
  return { count, ranges };
}

/** Words that none of the meant tools has; other tools are not revealed. */
function unknownWords(terms: readonly FoundTerm[], { isAlive }: Corpus, isMeant: Test): string[] {
  const isThere = hasSlot((slot) => isAlive(slot) && isMeant(slot));
  return terms.flatMap(({ word, ranges }) => (word === null || ranges.some(isThere) ? [] : word));
}

function hasSlot(test: Test) {
  return ({ segment, start, end }: Range) => segment.slots.subarray(start, end).some(test);
}

function lackingWords(terms: readonly FoundTerm[], best: readonly Ranked[]): string[] {
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
    offer(slot: number, score: number, coverage: number): void {
      const isFull = kept.length === depth;
      if (isFull && !isBefore(slot, score, kept[depth - 1] as Ranked)) return;
      let at = isFull ? depth - 1 : kept.length;
      while (at > 0 && isBefore(slot, score, kept[at - 1] as Ranked)) {
        kept[at] = kept[at - 1] as Ranked;
        at -= 1;
      }
      kept[at] = { slot, score, coverage };
    },
  };
}
