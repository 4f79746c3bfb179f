import { PlaneError } from "../errors.ts";
import { isObject } from "../json.ts";

/** Several queries are answered together. */
export type SearchRequest = {
  query?: string;
  queries?: readonly string[];
  /** The query is a linear-time pattern. */
  regex?: boolean;
  /** A server, or a glob of servers. */
  server?: string;
  limit?: number;
};

/** A match in short. */
export type FoundTool = {
  name: string;
  server: string | null;
  summary: string;
  /** Between 0 and 1; 1 is an exact name. */
  score: number;
  required: string[];
  /** Servers with nearly the same tool of this name. */
  alsoOn?: string[];
  /** Words that distinguish it from a namesake in this answer. */
  differsBy?: string[];
};

/** The best matches, and how many there are. */
export type SearchAnswer = {
  query: string;
  /** All matches that the caller may see. */
  total: number;
  truncated: boolean;
  tools: FoundTool[];
  next: string[];
  /** No good match, an invalid pattern or a missing server. */
  note?: string;
};

/** Servers and tools for a task. */
export type Recommendation = {
  task: string;
  servers: { name: string; score: number; tools: number }[];
  tools: FoundTool[];
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
};

/** Refuses what makes no sense by name. */
export function parseSearch(given: unknown): ParsedSearch {
  if (!isObject(given)) return refuse("query", 'Say what to search for: {"query": "send an email"}.');
  const { query, queries, regex = false, server, limit } = given;
  if (typeof regex !== "boolean") return refuse("regex", "'regex' must be true or false.");
  if (server !== undefined && (typeof server !== "string" || server === "")) {
    return refuse("server", "'server' must be the name of a server, or a glob like 'git*'.");
  }
  return {
    queries: readQueries(query, queries),
    isPattern: regex,
    server: server ?? null,
    limit: limit === undefined ? null : readLimit(limit, largestSearch),
  };
}

export function readLimit(limit: unknown, most: number): number {
  const isFit = typeof limit === "number" && Number.isInteger(limit) && limit >= 1 && limit <= most;
  return isFit ? limit : refuse("limit", `'limit' must be a whole number from 1 to ${most}.`);
}

function readQueries(query: unknown, queries: unknown): string[] {
  const all = queries === undefined ? [query] : Array.isArray(queries) ? queries : [queries];
  if (query !== undefined && queries !== undefined) {
    return refuse("queries", "'query' and 'queries' exclude each other; give one of them.");
  }
  if (all.length === 0 || all.length > maxQueries) {
    return refuse("queries", `'queries' must be a list of 1 to ${maxQueries} texts.`);
  }
  return all.map((one) => readText(one, queries === undefined ? "query" : "queries"));
}

export function readText(text: unknown, parameter: string): string {
  if (typeof text !== "string") return refuse(parameter, `'${parameter}' must be a text.`);
  if (text.length <= maxQuery) return text.trim();
  return refuse(parameter, `'${parameter}' is longer than ${maxQuery} characters; say it in fewer.`);
}

function refuse(parameter: string, message: string): never {
  throw new PlaneError("USAGE", message, { data: { parameter } });
}
