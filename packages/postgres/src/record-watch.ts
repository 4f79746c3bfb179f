/** How often a plane looks for what others have stored, while someone wants to know. */
const lookMs = 250;

/**
 * Nothing is announced with a batch of records: each of them would reach every plane, and Postgres lets transactions that
 * notify commit one after the other. Instead a plane whose events are followed asks how far the records go.
 */
export function createRecordWatch(lastEventId: () => Promise<number>) {
  const listeners = new Set<() => void>();
  let seenEventId: number | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  let isClosed = false;

  async function checkForNews(): Promise<void> {
    isLooking = true;
    // What cannot be asked now is asked again; an outage is reported elsewhere.
    const storedEventId = await lastEventId().catch(() => seenEventId);
    isLooking = false;
    if (storedEventId !== seenEventId) for (const listener of listeners) listener();
    seenEventId = storedEventId;
    scheduleCheck();
  }

  function scheduleCheck(): void {
    if (listeners.size > 0 && !isClosed) timer = setTimeout(checkForNews, lookMs).unref();
  }

  return {
    on(listener: () => void): () => void {
      // Who comes first hears of whatever was stored since the last look.
      if (listeners.size === 0) seenEventId = null;
      const registered = () => listener();
      listeners.add(registered);
      if (listeners.size === 1 && !isLooking) void checkForNews();
      return () => {
        listeners.delete(registered);
        if (listeners.size === 0) clearTimeout(timer);
      };
    },
    close(): void {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
