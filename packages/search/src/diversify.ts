import type { Likeness } from "./meaning.ts";
import type { FoundTerm, Ranked, Ranking } from "./rank.ts";
import type { Segment } from "./segment.ts";

const maxChosen = 15;

/** Keeps one part of a query from crowding out the others. */
export function diversify(ranking: Ranking, likeness: Likeness | null): Ranked[] {
  return likeness === null ? spreadWords(ranking) : spreadMeaning(ranking.best, likeness);
}

/** What the likeness to a chosen tool costs. */
const likenessCost = 0.2;

/** What is like a chosen tool counts less for the next, where the query asks for several things. */
function spreadMeaning(candidates: Ranked[], likeness: Likeness): Ranked[] {
  if (likeness.clauses < 2) return candidates;
  /** `seen`: with how many of the chosen it was compared; a worth can only fall. */
  const open = candidates.map((candidate) => ({
    candidate,
    worth: candidate.score,
    nearest: 0,
    seen: 0,
  }));
  const chosen: Ranked[] = [];
  while (chosen.length < maxChosen && open.length > 0) {
    let best = 0;
    for (let at = 1; at < open.length; at++)
      if ((open[at] as (typeof open)[number]).worth > (open[best] as (typeof open)[number]).worth)
        best = at;
    const one = open[best] as (typeof open)[number];
    if (one.seen === chosen.length) {
      open.splice(best, 1);
      chosen.push(one.candidate);
      continue;
    }
    for (; one.seen < chosen.length; one.seen++) {
      const other = (chosen[one.seen] as Ranked).slot;
      one.nearest = Math.max(one.nearest, likeness.between(other, one.candidate.slot));
    }
    one.worth = one.candidate.score - likenessCost * one.nearest;
  }
  return [...chosen, ...open.map(({ candidate }) => candidate)];
}

/** The weight of a word for the next tool, after a chosen one has covered it fully. */
const leftOfLong = 0.85;
/** Words of a query for one thing; a query of twice as many probably asks for several. */
const wordsPerIntent = 6;

/** Words that a chosen tool covers count less for the next. */
function spreadWords({ best: candidates, terms, asked }: Ranking): Ranked[] {
  const taken = (1 - leftOfLong) * Math.min(1, Math.max(0, asked / wordsPerIntent - 1));
  if (candidates.length < 2 || taken === 0) return candidates;
  const parts = candidates.map(({ slot }) => partsOf(slot, terms));
  const wholes = parts.map((row) => row.reduce((sum, part) => sum + part, 0));
  const most = new Float64Array(terms.length);
  for (const row of parts) {
    for (let at = 0; at < row.length; at++)
      most[at] = Math.max(most[at] as number, row[at] as number);
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
  return [
    ...chosen,
    ...open.map(({ candidate, score }) => ({ ...candidate, score: Math.min(score, last) })),
  ];
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

/** What each term brings a tool. */
export function partsOf(slot: number, terms: readonly FoundTerm[]): Float64Array {
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
