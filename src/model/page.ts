import { withoutUndefined } from "../lib/json/plain-data.ts";
import { PlaneError } from "./errors.ts";

export const largestPage = 1000;

type PageRequest = { limit: number | null; cursor: string | null };

export type Page<T> = { total: number; items: T[]; nextCursor: string | null };

/** One page of items sorted by their places. */
export function takePage<T>(
  matching: readonly T[],
  placeOf: (item: T) => string,
  { limit, cursor }: PageRequest,
): Page<T> {
  const start = cursor === null ? 0 : firstAfter(matching, placeOf, readCursor(cursor));
  const end = limit === null ? matching.length : Math.min(start + limit, matching.length);
  const items = matching.slice(start, end);
  const last = end < matching.length ? items.at(-1) : undefined;
  const nextCursor = last === undefined ? null : writeCursor(placeOf(last));
  return { total: matching.length, items, nextCursor };
}

function firstAfter<T>(
  sorted: readonly T[],
  placeOf: (item: T) => string,
  sortKey: string,
): number {
  const index = sorted.findIndex((item) => placeOf(item) > sortKey);
  return index === -1 ? sorted.length : index;
}

export function writeCursor(sortKey: string): string {
  return Buffer.from(sortKey).toString("base64url");
}

export function readCursor(cursor: string): string {
  const sortKey = Buffer.from(cursor, "base64url").toString();
  if (sortKey !== "" && writeCursor(sortKey) === cursor) return sortKey;
  throw noCursor(cursor);
}

export function noCursor(cursor: string): PlaneError {
  return new PlaneError(
    "USAGE",
    `'${cursor.slice(0, 60)}' is not a valid cursor: take the 'nextCursor' of the page before, or leave it out for the first page.`,
    { data: { parameter: "cursor", value: cursor.slice(0, 60) } },
  );
}

type Part = { limit?: number; before?: string };

/** The first `limit` that pass. They are read in parts: whose they are is in no index. */
export async function collectPages<T extends { id: string }>(
  read: (part: Part) => Promise<T[]>,
  passes: (item: T) => boolean,
  { limit, before }: Part,
): Promise<T[]> {
  if (limit === undefined) return (await read(withoutUndefined({ before }))).filter(passes);
  const passing: T[] = [];
  for (let from = before; passing.length < limit; ) {
    const part = await read({ limit, ...withoutUndefined({ before: from }) });
    passing.push(...part.filter(passes));
    from = part.at(-1)?.id;
    if (part.length < limit) break;
  }
  return passing.slice(0, limit);
}
