export type Lru<V, K = string> = {
  /** Also marks it as used last. */
  get(key: K): V | undefined;
  has(key: K): boolean;
  set(key: K, value: V): void;
  delete(key: K): boolean;
  clear(): void;
  /** How many keys are kept at least. */
  readonly capacity: number;
};

/** Keeps the `capacity` keys used last, at most twice as many. Two maps in turn: deleting one map's oldest gets slow. */
export function createLru<V, K = string>(capacity: number): Lru<V, K> {
  let newer = new Map<K, V>();
  let older = new Map<K, V>();
  const set = (key: K, value: V) => {
    if (newer.size >= capacity && !newer.has(key)) [newer, older] = [new Map(), newer];
    newer.set(key, value);
  };
  return {
    capacity,
    get(key) {
      const newerValue = newer.get(key);
      if (newerValue !== undefined) return newerValue;
      const olderValue = older.get(key);
      if (olderValue !== undefined) set(key, olderValue);
      return olderValue;
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
