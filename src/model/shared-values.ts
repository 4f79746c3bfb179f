import type { JsonObject } from "./json.ts";

/** What becomes of a value, null for none, and what whoever asked is told. `now` is the store's time. */
export type SharedStep<T> = (value: JsonObject | null, now: number) => { value: JsonObject | null; answer: T };

/** Small things that all planes on one store have together, each for a time: counts, shares, sessions of clients. */
export interface SharedValues {
  /** Null where there is none, or where its time is over. */
  sharedValue(key: string): Promise<JsonObject | null>;
  /** One step after the other under each key, whichever plane asks. The value is kept for `keptMs` from now. */
  changeShared<T>(key: string, keptMs: number, step: SharedStep<T>, tells?: boolean): Promise<T>;
  /** Those of these keys that have a value. */
  sharedKeys(keys: readonly string[]): Promise<string[]>;
  /** Removes those whose time is over; tells how many. */
  forgetShared(): Promise<number>;
}
