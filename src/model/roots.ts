import type { AuditRoot } from "./audit-schema.ts";

/** The end of one chain: `calls/N` of stream N, or `changes`. */
export type ChainEnd = { chain: string; sequence: number; hash: string };

/** Roots, and what they are made of. */
export interface RootStore {
  /** The newest, where no number is given. */
  root(number?: number): Promise<AuditRoot | null>;
  rootByHash(hash: string): Promise<AuditRoot | null>;
  /** Oldest first, from this number on. */
  roots(from: number, limit: number): Promise<AuditRoot[]>;
  /** The first root of this moment or later. */
  firstRootFrom(at: string): Promise<number>;
  /** False where another plane was quicker. */
  addRoot(root: AuditRoot): Promise<boolean>;
  /** A batch of the oldest, but never the newest. */
  forgetRoots(before: string): Promise<number>;
  chainEnds(): Promise<ChainEnd[]>;
  /** Of records after a number up to another, in their order. */
  chainHashes(
    chain: string,
    after: number,
    upTo: number,
    limit: number,
  ): Promise<{ sequence: number; hash: string }[]>;
  /** A recorded call as it stands in its chain. */
  chainedCall(id: string): Promise<(ChainEnd & { record: string; previous: string }) | null>;
  /**
   * Of records that were in this chain at a time those that are gone, and were neither removed by a plane with the key of the
   * store nor so old that they had to go.
   */
  lostOf<T extends Omit<ChainEnd, "chain"> & { at: string }>(
    chain: string,
    records: readonly T[],
    keepDays?: number,
  ): Promise<T[]>;
}
