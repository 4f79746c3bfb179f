import type { Hit } from "./hit.ts";
import { type Synonyms, termsOf } from "./query-terms.ts";
import { createRanker, lackingWords, type Test, unknownWords } from "./ranking.ts";
import { spread } from "./spread.ts";
import type { ToolIndex } from "./tool-index.ts";

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
