export type RecentMap<V> = {
  get(key: string): V | undefined;
  has(key: string): boolean;
  set(key: string, value: V): void;
};

/**
 * Remembers at least the last so many, and at most twice as many. Two maps in turn: taking the oldest out of one map costs
 * more the more were taken out before.
 */
export function createRecentMap<V>(least: number): RecentMap<V> {
  let newer = new Map<string, V>();
  let older = new Map<string, V>();
  return {
    get: (key) => newer.get(key) ?? older.get(key),
    has: (key) => newer.has(key) || older.has(key),
    set(key, value) {
      if (newer.size >= least) [newer, older] = [new Map(), newer];
      newer.set(key, value);
    },
  };
}
