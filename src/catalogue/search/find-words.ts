import type { Hit } from "./hit.ts";
import { type Synonyms, termsOf } from "./query-terms.ts";
import {
  createRanker,
  type FoundTerm,
  lackingWords,
  type Ranked,
  type Ranking,
  type Test,
  unknownWords,
} from "./ranking.ts";
import type { Segment } from "./segment.ts";
import type { ToolIndex } from "./tool-index.ts";

/** What is left of a word's weight for the next tool when a chosen one covers it as well as any. */
const leftOfLong = 0.85;
/** So many telling words are one wish; twice as many are likely to be several. */
const oneWish = 6;
/** Further down nobody looks for variety. */
const maxChosen = 15;

/**
 * Several things may be wanted at once. What a chosen tool has brought already counts a little less for the next, so that
 * five tools for one half of a query do not crowd out the other half.
 */
function spread({ best: candidates, terms, asked }: Ranking): Ranked[] {
  const taken = (1 - leftOfLong) * Math.min(1, Math.max(0, asked / oneWish - 1));
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

/**
 * Best first, those that were asked for by name before all others. `coverage` is how much of the query the best of them
 * has, `asked` how many words of it tell something, `unknown` tells those
 * that no tool has.
 */
export type Found = {
  total: number;
  named: Hit[];
  hits: Hit[];
  coverage: number;
  asked: number;
  unknown(): string[];
  /** Words that none of the best has, nor another word for them. */
  lacking(): string[];
};

/** So many are looked at again to tell several wishes apart. */
const usualDepth = 50;
/** What an answer shows at least. */
const shown = 5;

export type FindWords = (query: string, isMeant: Test, count: number) => Found;

/** Tools that are called what was asked for, then those that have its words. */
export function createFindWords(index: ToolIndex, synonyms?: () => Synonyms): FindWords {
  const rank = createRanker();
  const toHit = ({ slot, score }: { slot: number; score: number }) => ({ tool: index.toolAt(slot), score });
  return (query, isMeant, count) => {
    // What is written with spaces is words, unless a tool is really called like that.
    const isLoose = !/\s/.test(query);
    const named = index.named(query, isLoose).filter(isMeant);
    const isNamed = new Set(named);
    const depth = Math.max(usualDepth, count + named.length);
    const ranking = rank(termsOf(query, synonyms?.()), index.corpus(), isMeant, depth);
    const others = spread(ranking).filter(({ slot }) => !isNamed.has(slot));
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
