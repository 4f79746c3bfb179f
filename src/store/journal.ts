import { setImmediate as nextTurn } from "node:timers/promises";
import { PlaneError } from "../model/errors.ts";
import type { JournalEntry, Store } from "../model/store.ts";

export type Journal = {
  /** Resolves when these entries are stored. */
  write(entries: readonly JournalEntry[]): Promise<void>;
  /** Stores what is waiting and takes nothing more. */
  close(): Promise<void>;
};

/** What one caller wrote: stored together or not at all. */
type Group = { entries: readonly JournalEntry[]; stored: () => void; failed: (reason: unknown) => void };

/** Many callers, one commit: what is written in the same turn of the event loop is appended at once. */
export function createJournal(append: Store["append"]): Journal {
  let waiting: Group[] = [];
  let flushing: Promise<void> | null = null;
  let open = true;

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      // A turn per batch: it lets neighbours join, and a caller that writes in a loop never starves the rest.
      await nextTurn();
      const batch = waiting;
      waiting = [];
      await appendBatch(append, batch);
    }
    flushing = null;
  }

  return {
    async write(entries) {
      if (!open) throw new PlaneError("STORE_FAILED", "The journal is closed. Nothing more can be recorded.");
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.push({ entries, stored: resolve, failed: reject });
      flushing ??= flush();
      await promise;
    },
    async close() {
      open = false;
      await flushing;
    },
  };
}

/** One bad write must not fail its neighbours, so a failed batch is tried once more, group by group. */
async function appendBatch(append: Store["append"], batch: readonly Group[]): Promise<void> {
  try {
    await append(batch.flatMap((group) => group.entries));
    for (const group of batch) group.stored();
  } catch (thrown) {
    await appendEach(append, batch, thrown);
  }
}

async function appendEach(append: Store["append"], batch: readonly Group[], reason: unknown): Promise<void> {
  let last = reason;
  for (const group of batch) {
    try {
      // A locked store has waited its full time already; each try would stop the process as long again.
      if (isLocked(last)) throw last;
      await append(group.entries);
      group.stored();
    } catch (thrown) {
      last = thrown;
      group.failed(thrown);
    }
  }
}

function isLocked(thrown: unknown): boolean {
  return thrown instanceof PlaneError && thrown.data.locked === true;
}
