import type { Durability } from "../model/config/settings.ts";
import type { JournalEntry } from "../model/store.ts";
import type { Spool } from "./spool.ts";

/** A line that is not in the store by then is synced where it is, so that it survives a power cut 200 ms after its answer. */
const syncedWithinMs = 120;

export type SpoolWatch = ReturnType<typeof createSpoolWatch>;

/** Must it be on the disk before it is answered? A change always is: a key that was revoked must not open anything again. */
export function mustSync(durability: Durability, entries: readonly JournalEntry[]): boolean {
  if (durability === "power") return entries.some(({ kind }) => kind === "audit");
  return durability === "strict";
}

/** A store that is unreachable or slow leaves lines in the spool. One timer looks for them, and none while there are none. */
export function createSpoolWatch(
  spool: Pick<Spool, "sync" | "unsyncedSince">,
  onFailure: (thrown: unknown) => void,
) {
  let timer: NodeJS.Timeout | undefined;

  function lookIn(waitMs: number): void {
    timer = setTimeout(() => {
      timer = undefined;
      const since = spool.unsyncedSince();
      if (since === null) return;
      const remainingMs = since + syncedWithinMs - performance.now();
      if (remainingMs > 0) return lookIn(remainingMs);
      void spool.sync().catch(onFailure);
    }, waitMs).unref();
  }

  return {
    /** After each line. */
    look(): void {
      if (timer === undefined) lookIn(syncedWithinMs);
    },
    stop(): void {
      clearTimeout(timer);
    },
  };
}
