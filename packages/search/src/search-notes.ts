import { shorten } from "@toolplane/core/lib/text/cut-text";
import { nearest, suggestionOf } from "@toolplane/core/lib/text/nearest";
import type { ToolMatches } from "./find-tools.ts";

/** Minimum coverage of the query for a good match. */
const minCoverage = 0.3;
/** Minimum cosine similarity for a good match. */
const minLikeness = 0.42;
/** A longer query asks for several things. */
export const longQuery = 12;
/** In a shorter query each word matters. */
const shortQuery = 3;
const maxNamed = 3;

/** Callers act on what they get, so a bad match has to be said. */
export function describeMisfit(
  query: string,
  { hits, coverage, likeness, wordCount, unknown, lacking }: ToolMatches,
): string[] {
  if (coverage >= minCoverage || likeness >= minLikeness) {
    const words = wordCount <= shortQuery ? lacking() : [];
    return words.length === 0 ? [] : [listSentence("None of these mentions", words.map(quote))];
  }
  const nearestServers = [
    ...new Set(hits.slice(0, 10).flatMap(({ tool }) => tool.id.server ?? [])),
  ];
  const sentences = [
    openingSentence(query, hits.length, wordCount),
    listSentence("No tool mentions", unknown().map(quote)),
    listSentence("The nearest servers are", nearestServers),
    wordCount > longQuery ? "" : "Name the action and its object in other words.",
  ];
  return [sentences.filter((part) => part !== "").join(" ")];
}

function quote(word: string): string {
  return `'${shorten(word)}'`;
}

function openingSentence(query: string, hitCount: number, wordCount: number): string {
  if (hitCount === 0) return `Nothing matches ${quote(query)}.`;
  if (wordCount > longQuery)
    return "This asks for much at once; search for one capability at a time.";
  return "No good match: what was found has little of the query.";
}

function listSentence(beginning: string, names: readonly string[]): string {
  return names.length === 0 ? "" : `${beginning} ${names.slice(0, maxNamed).join(", ")}.`;
}

const maxHinted = 3;

/** Finding the nearest name is slow, so only the first few get a hint. */
export function describeMissing(
  missing: readonly string[],
  knownNames: readonly string[],
): string[] {
  const notes = missing
    .slice(0, maxHinted)
    .map((name) => `No tool '${shorten(name)}'.${suggestionOf(nearest(name, knownNames, 1))}`);
  const moreCount = missing.length - maxHinted;
  return moreCount > 0 ? [...notes, `${moreCount} other names were not found either.`] : notes;
}
