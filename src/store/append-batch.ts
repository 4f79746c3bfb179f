import { PlaneError } from "../model/errors.ts";
import type { JournalEntry, Store } from "../model/store.ts";

/** What one caller wrote: stored together or not at all. */
export type Group = {
  entries: readonly JournalEntry[];
  /** Whoever waits is told, and sees to it. */
  waits?: { resolve(): void; reject(reason: unknown): void };
  tries: number;
  /** It only tells something: nobody misses it much. */
  isNote: boolean;
};

type Fail = (group: Group, reason: unknown) => void;

/** One bad write must not fail its neighbours, so a failed batch is tried once more, group by group. */
export async function appendBatch(
  append: Store["append"],
  batch: readonly Group[],
  fail: Fail,
): Promise<void> {
  try {
    await append(batch.flatMap((group) => group.entries));
    for (const group of batch) group.waits?.resolve();
  } catch (thrown) {
    await appendEach(append, batch, thrown, fail);
  }
}

async function appendEach(
  append: Store["append"],
  batch: readonly Group[],
  reason: unknown,
  fail: Fail,
): Promise<void> {
  let last = reason;
  for (const group of batch) {
    try {
      // A locked store has waited its full time already; each try would stop the process as long again.
      if (isLocked(last)) throw last;
      await append(group.entries);
      group.waits?.resolve();
    } catch (thrown) {
      last = thrown;
      fail(group, thrown);
    }
  }
}

function isLocked(thrown: unknown): boolean {
  return thrown instanceof PlaneError && thrown.data.locked === true;
}
