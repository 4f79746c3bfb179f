import { PlaneError } from "../model/errors.ts";
import type { JournalEntry } from "../model/store.ts";

/** Resolves when the entries are stored, all of them. */
export type Append = (entries: readonly JournalEntry[]) => Promise<unknown>;

/** The entries of one caller: stored together or not at all. */
export type Group = {
  entries: readonly JournalEntry[];
  waits?: { resolve(): void; reject(reason: unknown): void };
  tries: number;
  /** An event, which may be dropped under pressure. */
  isNote: boolean;
  /** It is in the spool, and survives the process. */
  isSpooled?: boolean;
  isStored?: boolean;
  /** Why it could not be stored the last time. */
  reason?: unknown;
};

type Fail = (group: Group, reason: unknown) => void;

/** Not reached, or busy: the same write may succeed later. */
export function isUnavailable(thrown: unknown): boolean {
  return hasFlag(thrown, "lost") || hasFlag(thrown, "busy") || isMendable(thrown);
}

/** Needs a person: a full disk, missing rights. */
export function isMendable(thrown: unknown): boolean {
  return hasFlag(thrown, "later");
}

function hasFlag(thrown: unknown, flag: "lost" | "busy" | "later" | "locked"): boolean {
  return thrown instanceof PlaneError && thrown.data[flag] === true;
}

/** One bad write must not fail its neighbours, so a failed batch is tried once more, group by group. */
export async function appendBatch(
  append: Append,
  batch: readonly Group[],
  fail: Fail,
): Promise<void> {
  let lastFailure: unknown;
  try {
    await append(batch.flatMap((group) => group.entries));
    for (const group of batch) markStored(group);
    return;
  } catch (thrown) {
    lastFailure = thrown;
  }
  for (const group of batch) {
    try {
      // A locked store has waited its full time already; each try would stop the process as long again.
      if (hasFlag(lastFailure, "locked")) throw lastFailure;
      await append(group.entries);
      markStored(group);
    } catch (thrown) {
      lastFailure = thrown;
      fail(group, thrown);
    }
  }
}

function markStored(group: Group): void {
  group.isStored = true;
  group.waits?.resolve();
}
