import { PlaneError } from "../errors.ts";
import { isObject } from "../json.ts";
import type { FoundTool, SearchQuality } from "./search-schema.ts";

/** Several queries are answered together. */
export type SearchRequest = {
  query?: string;
  queries?: readonly string[];
  /** The query is a linear-time pattern. */
  regex?: boolean;
  /** A server, or a glob of servers. */
  server?: string;
  limit?: number;
  /** Adds to each tool where its points come from. */
  explain?: boolean;
};

export const scoreSources = [
  "name",
  "words",
  "synonyms",
  "prefix",
  "likeness",
  "verb",
  "learned",
] as const;

/** Servers and tools for a task. */
export type Recommendation = {
  task: string;
  servers: { name: string; score: number; tools: number }[];
  tools: FoundTool[];
};

/** A query and the tools that are right for it, in any spelling. */
export type SearchCase = { query: string; tools: readonly string[]; kind?: string | undefined };

/** How well a catalogue is searched, with likeness and with words alone. */
export type SearchEvaluation = {
  queries: number;
  tools: number;
  ranking: SearchQuality;
  wordsOnly: SearchQuality;
  kinds: { kind: string; queries: number; ranking: SearchQuality; wordsOnly: SearchQuality }[];
  /** Queries without one of their tools among the first ten. */
  missed: { query: string; tools: string[]; found: string[] }[];
  /** Names that no tool of the caller has. */
  unknown: string[];
};

/** One vector of the same length per text. */
export type Embed = (texts: readonly string[]) => Promise<readonly (readonly number[])[]>;

export const largestSearch = 100;
const maxQueries = 10;
const maxQuery = 10_000;

export type ParsedSearch = {
  queries: string[];
  isPattern: boolean;
  server: string | null;
  limit: number | null;
  isExplained: boolean;
};

/** Refuses what makes no sense by name. */
export function parseSearch(request: unknown): ParsedSearch {
  if (!isObject(request))
    return refuse("query", 'Say what to search for: {"query": "send an email"}.');
  const { query, queries, regex = false, server, limit, explain = false } = request;
  if (typeof regex !== "boolean") return refuse("regex", "'regex' must be true or false.");
  if (typeof explain !== "boolean") return refuse("explain", "'explain' must be true or false.");
  if (server !== undefined && (typeof server !== "string" || server === "")) {
    return refuse("server", "'server' must be the name of a server, or a glob like 'git*'.");
  }
  return {
    queries: readQueries(query, queries),
    isPattern: regex,
    server: server ?? null,
    limit: limit === undefined ? null : readLimit(limit, largestSearch),
    isExplained: explain,
  };
}

export function readLimit(limit: unknown, maxLimit: number): number {
  const isFit =
    typeof limit === "number" && Number.isInteger(limit) && limit >= 1 && limit <= maxLimit;
  return isFit ? limit : refuse("limit", `'limit' must be an integer from 1 to ${maxLimit}.`);
}

function readQueries(query: unknown, queries: unknown): string[] {
  const texts = [queries === undefined ? query : queries].flat();
  if (query !== undefined && queries !== undefined) {
    return refuse("queries", "'query' and 'queries' exclude each other; give one of them.");
  }
  if (texts.length === 0 || texts.length > maxQueries) {
    return refuse("queries", `'queries' must be a list of 1 to ${maxQueries} texts.`);
  }
  return texts.map((text) => readQueryText(text, queries === undefined ? "query" : "queries"));
}

export function readQueryText(text: unknown, parameter: string): string {
  if (typeof text !== "string") return refuse(parameter, `'${parameter}' must be a string.`);
  if (text.length <= maxQuery) return text.trim();
  return refuse(
    parameter,
    `'${parameter}' is longer than ${maxQuery} characters; say it in fewer.`,
  );
}

function refuse(parameter: string, message: string): never {
  throw new PlaneError("USAGE", message, { data: { parameter } });
}
