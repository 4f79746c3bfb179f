import { createLru } from "../lru.ts";

/** A change by hand in the database is not announced: older values are read again, first in the background. */
const soonMs = 5_000;
const maxAgeMs = 30_000;
/** A read that began so long ago answers those who ask meanwhile: an overloaded store is not asked once for each. */
const sharedMs = 1_000;
const minKeptKeys = 10_000;

type Options<V> = {
  read(key: string): Promise<V>;
  isInformed(): boolean;
  /** Only these are kept. */
  isKept?(value: V): boolean;
  /** So long a value counts where changes are not announced. */
  untoldMs?: number;
};

type Entry<V> = { value: V; readAt: number; isReading: boolean };
type Reading<V> = { value: Promise<V>; begunAt: number };

/** Values of the store, kept in memory as long as other planes would tell of a change, and have told of none. */
export function createHeardValues<V>({
  read,
  isInformed,
  isKept = () => true,
  untoldMs = 0,
}: Options<V>) {
  const entries = createLru<Entry<V>>(minKeptKeys);
  const reading = new Map<string, Reading<V>>();
  let changes = 0;

  async function readNow(key: string): Promise<V> {
    const changesBefore = changes;
    // From its beginning on: a change that comes later is announced.
    const readAt = performance.now();
    const value = await read(key);
    if (changesBefore !== changes) return value;
    if (isKept(value)) entries.set(key, { value, readAt, isReading: false });
    else entries.delete(key);
    return value;
  }

  function readTogether(key: string): Promise<V> {
    const sharedReading = reading.get(key);
    if (sharedReading !== undefined && performance.now() - sharedReading.begunAt < sharedMs)
      return sharedReading.value;
    const value = readNow(key).finally(() => {
      if (reading.get(key) === ownReading) reading.delete(key);
    });
    const ownReading = { value, begunAt: performance.now() };
    reading.set(key, ownReading);
    return value;
  }

  function readSoon(key: string, entry: Entry<V>): void {
    entry.isReading = true;
    readNow(key).catch(() => {
      entry.isReading = false;
    });
  }

  return {
    /** As it is now; what is kept is renewed. */
    read: readNow,
    get(key: string): V | Promise<V> {
      const entry = entries.get(key);
      if (entry === undefined) return readTogether(key);
      const age = performance.now() - entry.readAt;
      if (age < untoldMs) return entry.value;
      if (age >= maxAgeMs || !isInformed()) return readTogether(key);
      if (age >= soonMs && !entry.isReading) readSoon(key, entry);
      return entry.value;
    },
    changed(): void {
      changes += 1;
      entries.clear();
      reading.clear();
    },
  };
}
