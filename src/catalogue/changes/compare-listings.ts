import { sameJson } from "../../lib/json/plain-data.ts";

export type Difference<T> = { before: T | null; after: T | null };

/** So many at a time: ten thousand tools are compared without anybody else waiting for it. */
export const slice = 250;

/** What is different between two listings, in the order of the second; what is gone comes last. */
export async function compareListings<T>(
  before: readonly T[],
  after: readonly T[],
  keyOf: (item: T) => string,
): Promise<Difference<T>[]> {
  const left = new Map(before.map((item) => [keyOf(item), item]));
  const found: Difference<T>[] = [];
  for (const [at, item] of after.entries()) {
    if (at % slice === slice - 1) await new Promise(setImmediate);
    const key = keyOf(item);
    const earlier = left.get(key);
    left.delete(key);
    if (earlier === undefined) found.push({ before: null, after: item });
    else if (!sameJson(earlier, item)) found.push({ before: earlier, after: item });
  }
  return [...found, ...[...left.values()].map((item) => ({ before: item, after: null }))];
}
