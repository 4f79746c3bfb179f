export type Lru<V, K = string> = {
  /** Also marks it as used last. */
  get(key: K): V | undefined;
  has(key: K): boolean;
  set(key: K, value: V): void;
  delete(key: K): boolean;
  clear(): void;
  /** How many keys are kept at least. */
  readonly least: number;
};

/** Keeps the `least` keys used last, at most twice as many. Two maps in turn: deleting one map's oldest gets slow. */
export function createLru<V, K = string>(least: number): Lru<V, K> {
  let newer = new Map<K, V>();
  let older = new Map<K, V>();
  const set = (key: K, value: V) => {
    if (newer.size >= least && !newer.has(key)) [newer, older] = [new Map(), newer];
    newer.set(key, value);
  };
  return {
    least,
    get(key) {
      const found = newer.get(key);
      if (found !== undefined) return found;
      const value = older.get(key);
      if (value !== undefined) set(key, value);
      return value;
    },
    has: (key) => newer.has(key) || older.has(key),
    set,
    delete(key) {
      const isNew = newer.delete(key);
      return older.delete(key) || isNew;
    },
    clear() {
      newer.clear();
      older.clear();
    },
  };
}
