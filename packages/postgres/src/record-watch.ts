/** How often a plane looks for what others have stored, while someone wants to know. */
const lookMs = 250;

/**
 * Nothing is announced with a batch of records: each of them would reach every plane, and Postgres lets transactions that
 * notify commit one after the other. Instead a plane whose events are followed asks how far the records go.
 */
export function createRecordWatch(settled: () => Promise<number>) {
  const listeners = new Set<() => void>();
  let lastSettled: number | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  let isClosed = false;

  async function checkSettled(): Promise<void> {
    isLooking = true;
    // What cannot be asked now is asked again; an outage is reported elsewhere.
    const settledNow = await settled().catch(() => lastSettled);
    isLooking = false;
    if (settledNow !== lastSettled) for (const listener of listeners) listener();
    lastSettled = settledNow;
    scheduleCheck();
  }

  function scheduleCheck(): void {
    if (listeners.size > 0 && !isClosed) timer = setTimeout(checkSettled, lookMs).unref();
  }

  return {
    on(listener: () => void): () => void {
      // Who comes first hears of whatever was stored since the last look.
      if (listeners.size === 0) lastSettled = null;
      const registered = () => listener();
      listeners.add(registered);
      if (listeners.size === 1 && !isLooking) void checkSettled();
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
