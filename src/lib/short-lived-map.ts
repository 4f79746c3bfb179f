type Key = string | number | bigint;

/**
 * A long-lived map of short-lived entries, as of calls under way. V8 copies a `Map` or `Set` to another table now and
 * then. An old table leads to its entries and to the next table, so all calls would stay until a full collection.
 */
export function createShortLivedMap<V>() {
  const entries: Record<string | number, V> = Object.create(null);
  let size = 0;
  return {
    /** Undefined also where `key` is of a type that no key has. */
    get: (key: unknown): V | undefined => entries[nameOf(key)],
    set(key: Key, value: V): void {
      const name = nameOf(key);
      if (!(name in entries)) size += 1;
      entries[name] = value;
    },
    delete(key: Key): void {
      const name = nameOf(key);
      if (!(name in entries)) return;
      delete entries[name];
      size -= 1;
    },
    /** Numeric keys first, in order; the others as they came. */
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
