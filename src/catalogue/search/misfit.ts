import { shorten } from "../../lib/shorten.ts";
import type { Found } from "./find-words.ts";

/** Of what a query asks for, so much has to be there before it counts as an answer. */
const enough = 0.3;
/** Nobody says one thing in more words than that. */
const longQuery = 12;
/** In so few words each is meant. */
const shortQuery = 3;
const maxNamed = 3;

/** Whoever searches acts on what comes back; when none of it fits, that has to be said. */
export function describeMisfit(query: string, { hits, coverage, asked, unknown, lacking }: Found): string[] {
  if (coverage >= enough) return describeLacking(asked <= shortQuery ? lacking() : []);
  const nearest = [...new Set(hits.slice(0, 10).flatMap(({ tool }) => tool.id.server ?? []))];
  const parts = [
    opening(query, hits.length, asked),
    listing("No tool mentions", unknown().map(quote)),
    listing("The nearest servers are", nearest),
    asked > longQuery ? "" : "Name the action and its object in other words.",
  ];
  return [parts.filter((part) => part !== "").join(" ")];
}

/** They may do what was asked to something else. */
function describeLacking(words: readonly string[]): string[] {
  return words.length === 0 ? [] : [listing("None of these mentions", words.map(quote))];
}

function quote(word: string): string {
  return `'${shorten(word)}'`;
}

function opening(query: string, found: number, asked: number): string {
  if (found === 0) return `Nothing matches ${quote(query)}.`;
  if (asked > longQuery) return "This asks for much at once; search for one capability at a time.";
  return "No good match: what was found has little of the query.";
}

function listing(beginning: string, names: readonly string[]): string {
  return names.length === 0 ? "" : `${beginning} ${names.slice(0, maxNamed).join(", ")}.`;
}
