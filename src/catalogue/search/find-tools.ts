import { diversify } from "./diversify.ts";
import type { Hit } from "./fields.ts";
import type { Likeness } from "./meaning.ts";
import { type Synonyms, termsOf } from "./query-terms.ts";
import { createRanker, lackingWords, type Ranked, unknownWords } from "./rank.ts";
import type { Test } from "./segment.ts";
import type { ToolIndex } from "./tool-index.ts";
import { verbsIn } from "./verbs.ts";

/** Best first, named tools before all others. */
export type Found = {
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
/** Hits that an answer shows at least. */
const shown = 5;

export type FindTools = (query: string, isMeant: Test, count: number, likeness?: Likeness | null) => Found;

/** By words, and by likeness where it is known. */
export function createFindTools(index: ToolIndex, synonyms?: () => Synonyms): FindTools {
  const rank = createRanker();
  return (query, isMeant, count, likeness = null) => {
    // A query with spaces is words, unless it is exactly the name of a tool.
    const isLoose = !/\s/.test(query);
    const named = index.named(query, isLoose).filter(isMeant);
    const isNamed = new Set(named);
    const depth = Math.max(minDepth, count + named.length);
    const corpus = index.corpus();
    const terms = termsOf(query, synonyms?.(), corpus.wordsFrom);
    const needs = isLoose ? "word" : likeness !== null && likeness.clauses > 1 ? "several" : "one";
    const ranking = rank({ terms, verbs: verbsIn(query), needs, likeness, isMeant, depth }, corpus);
    const others = diversify(ranking, likeness).filter(({ slot }) => !isNamed.has(slot));
    const best = others.slice(0, shown);
    const first = named.map((slot) => ({ tool: index.toolAt(slot), score: 1 }));
    const scoreOf = createScale(ranking.best, likeness);
    const hits = others.map((one) => ({ tool: index.toolAt(one.slot), score: scoreOf(one) }));
    return {
      total: Math.max(ranking.total, first.length + others.length),
      named: first,
      hits: [...first, ...hits].slice(0, count),
      coverage: first.length > 0 ? 1 : Math.max(0, ...best.map((one) => one.coverage)),
      likeness: likeness === null ? 0 : Math.max(0, ...best.map(({ slot }) => likeness.at(slot))),
      asked: ranking.asked,
      unknown: () => unknownWords(ranking.terms, corpus, isMeant),
      lacking: () => (first.length > 0 ? [] : lackingWords(ranking.terms, best)),
    };
  };
}

/** Between 0 and 1: how well the first fits, by words or by meaning, and how far the others are behind it. */
function createScale([first]: readonly Ranked[], likeness: Likeness | null): (one: Ranked) => number {
  if (first === undefined) return () => 0;
  const fit = Math.min(1, Math.max(first.words, likeness?.at(first.slot) ?? 0));
  return ({ score }) => Math.max(0, fit * (score / first.score));
}
