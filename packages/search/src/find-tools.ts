import type { ScorePart } from "@toolplane/core/model/catalogue/search-schema";
import { diversify, partsOf } from "./diversify.ts";
import type { Hit } from "./fields.ts";
import type { Likeness } from "./meaning.ts";
import { type Synonyms, termsOf } from "./query-terms.ts";
import { createRanker, type FoundTerm, lackingWords, type Ranked, unknownWords } from "./rank.ts";
import type { Mask } from "./segment.ts";
import type { ToolIndex } from "./tool-index.ts";
import { verbsIn } from "./verbs.ts";

/** Best first, named tools before all others. */
export type ToolMatches = {
  total: number;
  named: Hit[];
  hits: Hit[];
  /** The share of the query that the best of them has. */
  coverage: number;
  /** How like the query the best of them is; 0 without vectors. */
  likeness: number;
  wordCount: number;
  /** Words that no tool has. */
  unknown(): string[];
  /** Words that none of the best has in any form. */
  lacking(): string[];
};

/** Candidates for diversification. */
const minDepth = 50;
const nothingLearned: ReadonlyMap<number, number> = new Map();
/** Hits that an answer shows at least. */
const shownHits = 5;

type FindOptions = {
  likeness?: Likeness | null;
  /** What earlier use adds, by slot. */
  learned?: ReadonlyMap<number, number>;
  isExplained?: boolean;
};

export type FindTools = (
  query: string,
  mask: Mask,
  count: number,
  more?: FindOptions,
) => ToolMatches;

/** By words, and by likeness where it is known. */
export function createFindTools(index: ToolIndex, synonyms?: () => Synonyms): FindTools {
  const rank = createRanker();
  return (
    query,
    mask,
    count,
    { likeness = null, learned = nothingLearned, isExplained = false } = {},
  ) => {
    // A query with spaces is words, unless it is exactly the name of a tool.
    const isLoose = !/\s/.test(query);
    const namedSlots = index.named(query, isLoose).filter((slot) => mask[slot] === 1);
    const isNamed = new Set(namedSlots);
    const depth = Math.max(minDepth, count + namedSlots.length);
    const corpus = index.corpus();
    const terms = termsOf(query, synonyms?.(), corpus.wordsFrom);
    const needs = needsOf(isLoose, likeness);
    const ranking = rank(
      { terms, verbs: verbsIn(query), needs, likeness, learned, mask, depth },
      corpus,
    );
    const unnamed = diversify(ranking, likeness).filter(({ slot }) => !isNamed.has(slot));
    const best = unnamed.slice(0, shownHits);
    const byName: ScorePart[] = [{ from: "name", points: 1 }];
    const hitOf = (slot: number, score: number, pointsOf: () => ScorePart[]): Hit => {
      const hit: Hit = { tool: index.toolAt(slot), score };
      if (isExplained) hit.points = pointsOf();
      return hit;
    };
    const namedHits = namedSlots.map((slot) => hitOf(slot, 1, () => byName));
    const scoreOf = createScale(ranking.best, likeness);
    const hits = unnamed.map((ranked) =>
      hitOf(ranked.slot, scoreOf(ranked), () => explain(ranked, ranking.terms)),
    );
    return {
      total: Math.max(ranking.total, namedHits.length + unnamed.length),
      named: namedHits,
      hits: [...namedHits, ...hits].slice(0, count),
      coverage: namedHits.length > 0 ? 1 : Math.max(0, ...best.map((ranked) => ranked.coverage)),
      likeness: Math.max(0, ...best.map(({ slot }) => likeness?.values[slot] ?? 0)),
      wordCount: ranking.wordCount,
      unknown: () => unknownWords(ranking.terms, mask),
      lacking: () => (namedHits.length > 0 ? [] : lackingWords(ranking.terms, best)),
    };
  };
}

function needsOf(isLoose: boolean, likeness: Likeness | null) {
  if (isLoose) return "word";
  return likeness !== null && likeness.clauses > 1 ? "several" : "one";
}

/** Between 0 and 1: how well the first fits, by words or by meaning, and how far the others are behind it. */
function createScale(
  [first]: readonly Ranked[],
  likeness: Likeness | null,
): (ranked: Ranked) => number {
  if (first === undefined) return () => 0;
  const fit = Math.min(1, Math.max(first.words, likeness?.values[first.slot] ?? 0));
  return ({ score }) => Math.max(0, fit * (score / first.score));
}

function explain({ slot, points }: Ranked, terms: readonly FoundTerm[]): ScorePart[] {
  const parts = partsOf(slot, terms);
  const total = parts.reduce((sum, part) => sum + part, 0);
  const byWords = (["words", "synonyms", "prefix"] as const).map((from) => {
    const termIndexes = terms.flatMap((term, index) =>
      term.from === from && (parts[index] as number) > 0 ? index : [],
    );
    const share = termIndexes.reduce((sum, index) => sum + (parts[index] as number), 0) / total;
    const words = [...new Set(termIndexes.map((index) => (terms[index] as FoundTerm).queryWord))];
    return { from, points: termIndexes.length === 0 ? 0 : points.words * share, words };
  });
  const otherParts = (["likeness", "verb", "learned"] as const).map((from) => ({
    from,
    points: points[from],
  }));
  return [...byWords, ...otherParts]
    .filter((part) => part.points > 0)
    .map((part) => ({ ...part, points: Number(part.points.toFixed(3)) }));
}
