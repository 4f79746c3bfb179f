import type { Term } from "./query-terms.ts";
import { maxPerTerm, type Segment } from "./segment.ts";

/** `score` is near 1 for a tool that has every word where it counts most; `coverage` is the share of the words that it has. */
export type Ranked = { slot: number; score: number; coverage: number };

export type Corpus = {
  segments: readonly Segment[];
  /** How many slots were ever given away, and how many of them are in use. */
  slots: number;
  alive: number;
  isAlive(slot: number): boolean;
  /** Where two are equally good. */
  compare(a: number, b: number): number;
};

export type Test = (slot: number) => boolean;

type Range = { segment: Segment; start: number; end: number };
/** A term with its weight in this catalogue, and where it stands. */
export type FoundTerm = {
  /** What was asked for; null for other forms of it. */
  word: string | null;
  /** What was asked for, whichever form this is of it. */
  of: string;
  weight: number;
  covers: number;
  ranges: Range[];
};

/** `total` are all that have a word of the query; `asked` counts the words that tell something. */
export type Ranking = { total: number; best: Ranked[]; terms: FoundTerm[]; asked: number };

/** What it is worth to have all of the words and not some of them often. */
const coverageBonus = 0.5;

type Rank = (terms: readonly Term[], corpus: Corpus, isMeant: Test, depth: number) => Ranking;

/** Looks at the tools that have a word of the query, and at no others. */
export function createRanker(): Rank {
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
  /** Takes the sums out again, so that the next query begins with none. */
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
      const term = findTerm(key, corpus);
      const telling = weight * rarityOf(term.count, corpus.alive);
      if (isAsked) whole += telling;
      found.push({
        word: isAsked ? word : null,
        of: word,
        weight: telling,
        covers: isForm ? 0 : telling,
        ranges: term.ranges,
      });
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

/** Words that none of the tools has that are meant; what others have is not told. */
export function unknownWords(terms: readonly FoundTerm[], { isAlive }: Corpus, isMeant: Test): string[] {
  const isThere = ({ segment, start, end }: Range) =>
    segment.slots.subarray(start, end).some((slot) => isAlive(slot) && isMeant(slot));
  return terms.flatMap(({ word, ranges }) => (word === null || ranges.some(isThere) ? [] : word));
}

/** Words of which none of these has any form. */
export function lackingWords(terms: readonly FoundTerm[], best: readonly Ranked[]): string[] {
  const slots = new Set(best.map(({ slot }) => slot));
  const isThere = ({ segment, start, end }: Range) =>
    segment.slots.subarray(start, end).some((slot) => slots.has(slot));
  const had = new Set(terms.filter(({ ranges }) => ranges.some(isThere)).map(({ of }) => of));
  return terms.flatMap(({ word }) => (word === null || had.has(word) || slots.size === 0 ? [] : word));
}

/** A word that few tools have tells more. */
function rarityOf(count: number, all: number): number {
  return Math.log(1 + (all - count + 0.5) / (count + 0.5));
}

/** The best so far, in order; most that come are worse than all of them. */
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
