import { checkServer } from "./check.ts";
import type { Connection, Live } from "./connection-contract.ts";

/** Nobody answers this quickly on purpose, and nobody who lives needs longer. */
const answerWithinMs = 5_000;

/**
 * After a request that nobody waits for any more: is the server slow, or does it only look alive? One that is
 * still busy with something older may be slow; one that says nothing at all is replaced.
 */
export function createSignOfLife(): (connection: Connection, live: Live, startedAt: number) => void {
  const asking = new WeakSet<Live>();
  return (connection, live, startedAt) => {
    const oldest = live.peer.oldestPendingAt();
    if (asking.has(live) || connection.live() !== live || (oldest !== null && oldest < startedAt)) return;
    asking.add(live);
    const heardBefore = live.peer.heard();
    const limit = AbortSignal.timeout(answerWithinMs);
    checkServer(live.session, limit)
      .catch(() => {
        if (limit.aborted && live.peer.heard() === heardBefore) {
          connection.lose(
            live,
            `it has stopped answering; it was asked for a sign of life for ${answerWithinMs / 1000} s`,
          );
        }
      })
      .finally(() => asking.delete(live));
  };
}
