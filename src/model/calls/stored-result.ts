import type { Json } from "../json.ts";

/** The shape of a large result, to choose which part to read. */
export type ResultShape =
  | { kind: "json"; value: Json }
  | { kind: "table"; columns: string[]; rows: number }
  | { kind: "text"; lines: number; characters: number };

/** A part of a result that was left out, and the path that leads to it. */
export type ResultPart = { path: string; type: string; mimeType: string | null; characters: number };

/** What a caller gets in place of a result that is too large: enough to know what to read of it. */
export type ResultHandle = {
  id: string;
  /** Of the text that `offset` counts in. */
  characters: number;
  expiresAt: string;
  shape: ResultShape;
  preview: string;
  /** Where the preview ended. */
  nextOffset: number;
  parts: ResultPart[];
};

/** What is told of a stored result beside its content. */
export type StoredResult = {
  id: string;
  callId: string;
  tool: string;
  user: string | null;
  at: string;
  expiresAt: string;
  /** SHA-256 of the result as JSON, as it was given. */
  hash: string;
  characters: number;
  /** What it takes in the store. */
  bytes: number;
};

export type KeptResult = StoredResult & { isCompressed: boolean; body: Uint8Array };

/** Which results; `user` null is anonymous. */
export type ResultFilter = { user?: string | null; before?: string; limit?: number };

/** Stored results, a page at a time. */
export type ResultList = { results: StoredResult[]; nextCursor: string | null };

/** Which part of a result. `offset` and `limit` count characters, with `lines` lines, with `grep` matches. */
export type ResultQuery = {
  offset?: number;
  limit?: number;
  /** A JSON pointer (`/items/0`) or names with dots (`items.0`); `$result` leads into the result as it came. */
  path?: string;
  /** Only lines in which this pattern is found, with those around them. */
  grep?: string;
  lines?: boolean;
};

/** A part of a stored result. */
export type ResultPage = {
  id: string;
  tool: string;
  callId: string;
  expiresAt: string;
  unit: "characters" | "lines" | "matches";
  offset: number;
  total: number;
  /** Null when this is the end. */
  nextOffset: number | null;
  text: string;
};

/** Page sizes: largest and default. */
export const pageLimits = {
  characters: { usual: 4_000, most: 100_000 },
  lines: { usual: 200, most: 10_000 },
  matches: { usual: 50, most: 1_000 },
} as const;
