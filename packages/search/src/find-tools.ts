import type { ScorePart } from "../../../src/model/catalogue/search-schema.ts";
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
  asked: number;
  /** Words that no tool has. */
  unknown(): string[];
  /** Words that none of the best has in any form. */
  lacking(): string[];
};

/** Candidates for diversification. */
const minDepth = 50;
const nothing: ReadonlyMap<number, number> = new Map();
/** Hits that an answer shows at least. */
const shown = 5;

type More = {
  likeness?: Likeness | null;
  /** What earlier use adds, by slot. */
  learned?: ReadonlyMap<number, number>;
  isExplained?: boolean;
};

export type FindTools = (query: string, meant: Mask, count: number, more?: More) => ToolMatches;

/** By words, and by likeness where it is known. */
export function createFindTools(index: ToolIndex, synonyms?: () => Synonyms): FindTools {
  const rank = createRanker();
  return (
    query,
    meant,
    count,
    { likeness = null, learned = nothing, isExplained = false } = {},
  ) => {
    // A query with spaces is words, unless it is exactly the name of a tool.
    const isLoose = !/\s/.test(query);
    const named = index.named(query, isLoose).filter((slot) => meant[slot] === 1);
    const isNamed = new Set(named);
    const depth = Math.max(minDepth, count + named.length);
    const corpus = index.corpus();
    const terms = termsOf(query, synonyms?.(), corpus.wordsFrom);
    const needs = isLoose ? "word" : likeness !== null && likeness.clauses > 1 ? "several" : "one";
    const ranking = rank(
      { terms, verbs: verbsIn(query), needs, likeness, learned, meant, depth },
      corpus,
    );
    const others = diversify(ranking, likeness).filter(({ slot }) => !isNamed.has(slot));
    const best = others.slice(0, shown);
    const byName: ScorePart[] = [{ from: "name", points: 1 }];
    const first = named.map((slot) => ({
      tool: index.toolAt(slot),
      score: 1,
      ...(isExplained && { points: byName }),
    }));
    const scoreOf = createScale(ranking.best, likeness);
    const hits = others.map((one) => ({
      tool: index.toolAt(one.slot),
      score: scoreOf(one),
      ...(isExplained && { points: explain(one, ranking.terms) }),
    }));
    return {
      total: Math.max(ranking.total, first.length + others.length),
      named: first,
      hits: [...first, ...hits].slice(0, count),
      coverage: first.length > 0 ? 1 : Math.max(0, ...best.map((one) => one.coverage)),
      likeness:
        likeness === null
          ? 0
          : Math.max(0, ...best.map(({ slot }) => likeness.values[slot] as number)),
      asked: ranking.asked,
      unknown: () => unknownWords(ranking.terms, meant),
      lacking: () => (first.length > 0 ? [] : lackingWords(ranking.terms, best)),
    };
  };
}

/** Between 0 and 1: how well the first fits, by words or by meaning, and how far the others are behind it. */
function createScale(
  [first]: readonly Ranked[],
  likeness: Likeness | null,
): (one: Ranked) => number {
  if (first === undefined) return () => 0;
  const fit = Math.min(1, Math.max(first.words, likeness?.values[first.slot] ?? 0));
  return ({ score }) => Math.max(0, fit * (score / first.score));
}

function explain({ slot, points }: Ranked, terms: readonly FoundTerm[]): ScorePart[] {
  const parts = partsOf(slot, terms);
  const whole = parts.reduce((sum, part) => sum + part, 0);
  const byWords = (["words", "synonyms", "prefix"] as const).map((from) => {
    const own = terms.flatMap((term, at) =>
      term.from === from && (parts[at] as number) > 0 ? at : [],
    );
    const share = own.reduce((sum, at) => sum + (parts[at] as number), 0) / whole;
    const words = [...new Set(own.map((at) => (terms[at] as FoundTerm).of))];
    return { from, points: own.length === 0 ? 0 : points.words * share, words };
  });
  const others = (["likeness", "verb", "learned"] as const).map((from) => ({
    from,
    points: points[from],
  }));
  return [...byWords, ...others]
    .filter((part) => part.points > 0)
    .map((part) => ({ ...part, points: Number(part.points.toFixed(3)) }));
}
