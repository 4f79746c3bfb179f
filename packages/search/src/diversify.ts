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

/** `compared`: with how many of the chosen it was compared; a worth can only fall. */
type Option = { candidate: Ranked; worth: number; nearest: number; compared: number };

/** What is like a chosen tool counts less for the next, where the query asks for several things. */
function spreadMeaning(candidates: Ranked[], likeness: Likeness): Ranked[] {
  if (likeness.clauses < 2) return candidates;
  const remaining = candidates.map(
    (candidate): Option => ({ candidate, worth: candidate.score, nearest: 0, compared: 0 }),
  );
  const chosen: Ranked[] = [];
  while (chosen.length < maxChosen && remaining.length > 0) {
    let best = 0;
    for (let index = 1; index < remaining.length; index++)
      if ((remaining[index] as Option).worth > (remaining[best] as Option).worth) best = index;
    const option = remaining[best] as Option;
    if (option.compared === chosen.length) {
      remaining.splice(best, 1);
      chosen.push(option.candidate);
      continue;
    }
    for (; option.compared < chosen.length; option.compared++) {
      const chosenSlot = (chosen[option.compared] as Ranked).slot;
      option.nearest = Math.max(
        option.nearest,
        likeness.between(chosenSlot, option.candidate.slot),
      );
    }
    option.worth = option.candidate.score - likenessCost * option.nearest;
  }
  return [...chosen, ...remaining.map(({ candidate }) => candidate)];
}

/** The weight of a word for the next tool, after a chosen one has covered it fully. */
const coveredWeight = 0.85;
/** Words of a query for one thing; a query of twice as many probably asks for several. */
const wordsPerIntent = 6;

/** Words that a chosen tool covers count less for the next. */
function spreadWords({ best: candidates, terms, wordCount }: Ranking): Ranked[] {
  const coverCost = (1 - coveredWeight) * Math.min(1, Math.max(0, wordCount / wordsPerIntent - 1));
  if (candidates.length < 2 || coverCost === 0) return candidates;
  const parts = candidates.map(({ slot }) => partsOf(slot, terms));
  const totals = parts.map((row) => row.reduce((sum, part) => sum + part, 0));
  const maxParts = new Float64Array(terms.length);
  for (const row of parts) {
    for (let term = 0; term < row.length; term++)
      maxParts[term] = Math.max(maxParts[term] as number, row[term] as number);
  }
  const weights = new Float64Array(terms.length).fill(1);
  const remaining = candidates.map((candidate, index) => ({
    candidate,
    parts: parts[index] as Float64Array,
    total: totals[index] as number,
    score: candidate.score,
  }));
  const chosen: Ranked[] = [];
  while (chosen.length < maxChosen && remaining.length > 0) {
    let best = 0;
    for (const [position, option] of remaining.entries()) {
      option.score = (option.candidate.score * dot(option.parts, weights)) / option.total;
      if (option.score > (remaining[best]?.score ?? 0)) best = position;
    }
    const [option] = remaining.splice(best, 1) as [(typeof remaining)[number]];
    chosen.push({ ...option.candidate, score: option.score });
    for (let term = 0; term < weights.length; term++) {
      const coveredShare =
        maxParts[term] === 0 ? 0 : (option.parts[term] as number) / (maxParts[term] as number);
      weights[term] = (weights[term] as number) * (1 - coverCost * coveredShare);
    }
  }
  const last = chosen.at(-1)?.score ?? 0;
  return [
    ...chosen,
    ...remaining.map(({ candidate, score }) => ({ ...candidate, score: Math.min(score, last) })),
  ];
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += (a[index] as number) * (b[index] as number);
  return sum;
}

/** What each term brings a tool. */
export function partsOf(slot: number, terms: readonly FoundTerm[]): Float64Array {
  const parts = new Float64Array(terms.length);
  for (const [term, { weight, ranges }] of terms.entries()) {
    for (const { segment, start, end } of ranges) {
      const position = positionOf(segment, slot, start, end);
      if (position >= 0) parts[term] = weight * (segment.worth[position] as number);
    }
  }
  return parts;
}

function positionOf({ slots }: Segment, slot: number, start: number, end: number): number {
  let low = start;
  let high = end - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const middleSlot = slots[middle] as number;
    if (middleSlot === slot) return middle;
    if (middleSlot < slot) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
