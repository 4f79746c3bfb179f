/** How often a plane looks for what others have stored, while someone wants to know. */
const lookMs = 250;

/**
 * Nothing is announced with a batch of records: each of them would reach every plane, and Postgres lets transactions that
 * notify commit one after the other. Instead a plane whose events are followed asks how far the records go.
 */
export function createRecordWatch(settled: () => Promise<number>) {
  const listeners = new Set<() => void>();
  let seen: number | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  let isClosed = false;

  async function look(): Promise<void> {
    isLooking = true;
    // What cannot be asked now is asked again; an outage is reported elsewhere.
    const now = await settled().catch(() => seen);
    isLooking = false;
    if (now !== seen) for (const listener of listeners) listener();
    seen = now;
    next();
  }

  function next(): void {
    if (listeners.size > 0 && !isClosed) timer = setTimeout(look, lookMs).unref();
  }

  return {
    on(listener: () => void): () => void {
      // Who comes first hears of whatever was stored since the last look.
      if (listeners.size === 0) seen = null;
      const own = () => listener();
      listeners.add(own);
      if (listeners.size === 1 && !isLooking) void look();
      return () => {
        listeners.delete(own);
        if (listeners.size === 0) clearTimeout(timer);
      };
    },
    close(): void {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
