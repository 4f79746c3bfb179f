type Key = string | number | bigint;

/**
 * For entries that live as long as a call. A `Map` or `Set` that is written all the time is copied now and then, and each
 * old copy holds its entries and the next copy until a full collection: all calls would be kept until then.
 */
export function createShortLivedMap<V>() {
  const entries: Record<string | number, V> = Object.create(null);
  let size = 0;
  return {
    /** Undefined also for what can be no key. */
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
