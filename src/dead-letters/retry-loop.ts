const dayMs = 24 * 3_600_000;
/** A store that fails is asked again after this. */
const troubleMs = 60_000;
/** So many entries at a time; one that hangs does not hold up the others. */
const lanes = 4;

export type LoopParts<Due> = {
  /** What is to be done by now. */
  due(now: number): Promise<Due[]>;
  work(due: Due): Promise<void>;
  /** When the next thing is to be done; null when nothing is. */
  nextAt(after: number): Promise<number | null>;
  /** At the start, and once a day. */
  clean(now: number): Promise<void>;
};

export type RetryLoop = { start(): void; wake(): void; stop(): Promise<void> };

/** Looks when something is due, and sleeps until then. */
export function createRetryLoop<Due>({ due, work, nextAt, clean }: LoopParts<Due>): RetryLoop {
  let state: "new" | "running" | "stopped" = "new";
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | null = null;
  let again = false;
  let cleanAt = 0;

  /** Tells how long nothing has to be done. */
  async function lookOnce(): Promise<number> {
    const now = Date.now();
    if (now >= cleanAt) {
      cleanAt = now + dayMs;
      await clean(now);
    }
    await inLanes(await due(now), (one) => (state === "running" ? work(one) : Promise.resolve()));
    const next = await nextAt(now);
    return Math.max(0, Math.min(next ?? cleanAt, cleanAt) - Date.now());
  }

  async function look(): Promise<void> {
    let restMs = 0;
    do {
      again = false;
      restMs = await lookOnce().catch(() => troubleMs);
    } while (again && state === "running");
    looking = null;
    if (state === "running") timer = setTimeout(wake, restMs).unref();
  }

  function wake(): void {
    if (state !== "running") return;
    clearTimeout(timer);
    again = true;
    looking ??= look();
  }

  return {
    start() {
      if (state === "new") state = "running";
      wake();
    },
    wake,
    async stop() {
      state = "stopped";
      clearTimeout(timer);
      await looking;
    },
  };
}

async function inLanes<Due>(all: readonly Due[], work: (due: Due) => Promise<void>): Promise<void> {
  const waiting = all.values();
  const lane = async () => {
    for (const one of waiting) await work(one);
  };
  const ended = await Promise.allSettled(Array.from({ length: lanes }, lane));
  for (const end of ended) if (end.status === "rejected") throw end.reason;
}
