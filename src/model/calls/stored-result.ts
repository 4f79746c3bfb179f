import type { Json } from "../json.ts";
import type { StoredResult } from "./result-schema.ts";

/** The shape of a large result, to choose a part. */
export type ResultShape =
  | { kind: "json"; value: Json }
  | { kind: "table"; columns: string[]; rows: number }
  | { kind: "text"; lines: number; characters: number };

/** A part that was left out, and its path. */
export type ResultPart = {
  path: string;
  type: string;
  mimeType: string | null;
  characters: number;
};

/** Returned in place of a large result. */
export type ResultHandle = {
  id: string;
  /** Of the text that `offset` counts in. */
  characters: number;
  expiresAt: string;
  shape: ResultShape;
  preview: string;
  nextOffset: number;
  parts: ResultPart[];
};

export type KeptResult = StoredResult & { isCompressed: boolean; body: Uint8Array };

/** `user` null is anonymous. */
export type ResultFilter = { user?: string | null; before?: string; limit?: number };

/** A page of stored results. */
export type ResultList = { results: StoredResult[]; nextCursor: string | null };

/** `offset` and `limit` count characters, lines (`lines`) or matches (`grep`). */
export type ResultQuery = {
  offset?: number;
  limit?: number;
  /** A JSON pointer (`/items/0`) or dots (`items.0`); `$result` is the result as it came. */
  path?: string;
  /** A pattern for lines, with context. */
  grep?: string;
  lines?: boolean;
};

export const pageLimits = {
  characters: { usual: 4_000, most: 100_000 },
  lines: { usual: 200, most: 10_000 },
  matches: { usual: 50, most: 1_000 },
} as const;
