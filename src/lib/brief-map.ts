type Key = string | number | bigint;

type BriefMap<V> = {
  /** Undefined also for what can be no key. */
  get(key: unknown): V | undefined;
  set(key: Key, value: V): void;
  delete(key: Key): void;
  /** Numeric keys first, in order; the others as they came. */
  values(): V[];
  size(): number;
};

/**
 * For entries that live as long as a call. A `Map` leaves old tables behind that keep everything after them alive until
 * the
 * next large collection.
 */
export function createBriefMap<V>(): BriefMap<V> {
  const entries: Record<string | number, V> = Object.create(null);
  let size = 0;
  return {
    get: (key) => entries[nameOf(key)],
    set(key, value) {
      const name = nameOf(key);
      if (!(name in entries)) size += 1;
      entries[name] = value;
    },
    delete(key) {
      const name = nameOf(key);
      if (!(name in entries)) return;
      delete entries[name];
      size -= 1;
    },
    values: () => Object.values(entries),
    size: () => size,
  };
}

/** The number 1 and the text "1" are two keys. */
function nameOf(key: unknown): string | number {
  if (typeof key === "number") return key;
  if (typeof key === "string") return `"${key}`;
  return typeof key === "bigint" ? `${key}n` : "";
}
