import type { Json } from "../json.ts";

/** The shape of a large result, to choose a part. */
export type ResultShape =
  | { kind: "json"; value: Json }
  | { kind: "table"; columns: string[]; rows: number }
  | { kind: "text"; lines: number; characters: number };

/** A part that was left out, and its path. */
export type ResultPart = { path: string; type: string; mimeType: string | null; characters: number };

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

/** A stored result without its content. */
export type StoredResult = {
  id: string;
  callId: string;
  tool: string;
  user: string | null;
  /** Of the key or the rights that it was made with. */
  owner?: string;
  at: string;
  expiresAt: string;
  hash: string;
  characters: number;
  bytes: number;
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

/** A part of a stored result. */
export type ResultPage = {
  id: string;
  tool: string;
  callId: string;
  expiresAt: string;
  unit: "characters" | "lines" | "matches";
  offset: number;
  total: number;
  nextOffset: number | null;
  text: string;
};

export const pageLimits = {
  characters: { usual: 4_000, most: 100_000 },
  lines: { usual: 200, most: 10_000 },
  matches: { usual: 50, most: 1_000 },
} as const;
