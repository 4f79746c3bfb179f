import type { SharedStep } from "../../model/store.ts";

/** Counts that all planes on one store have together. Rejects while the store is away. */
export type SharedCounts = {
  read(key: string): Promise<unknown>;
  change<T>(key: string, keptMs: number, step: SharedStep<T>): Promise<T>;
};
