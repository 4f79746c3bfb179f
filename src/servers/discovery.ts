import { steadyNow } from "../lib/async/steady-time.ts";
import type { Listing } from "../protocol/list-all.ts";

/** After a notice of change: wait for more, and leave a gap to the last listing. */
const settleMs = 50;
const gapMs = 500;

type DiscoveryOptions<Over> = {
  /** Over this session where one is given; gives up by itself. */
  list(over?: Over): Promise<Listing>;
  onListed(listing: Listing): void;
  onFailed(reason: unknown): void;
  /** 0 is for ever. */
  windowMs: number;
  isOpen(): boolean;
};

export type Discovery<Over> = ReturnType<typeof createDiscovery<Over>>;

export function createDiscovery<Over = never>(options: DiscoveryOptions<Over>) {
  const { list, onListed, onFailed, windowMs, isOpen } = options;
  let listedAt: number | null = null;
  let epoch = 0;
  let asking: { epoch: number; done: Promise<void> } | undefined;
  let relist: NodeJS.Timeout | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  /** Notices of change, and those the last listing has seen. */
  let heard = 0;
  let seen = 0;

  const isFresh = () =>
    seen === heard && listedAt !== null && (windowMs === 0 || Math.abs(Date.now() - listedAt) < windowMs);

  function take(listing: Listing): void {
    listedAt = Date.now();
    onListed(listing);
  }

  async function ask(asked: number, over: Over | undefined): Promise<void> {
    const upTo = heard;
    askedAt = steadyNow();
    try {
      const listing = await list(over);
      if (asked !== epoch) return;
      seen = upTo;
      take(listing);
    } catch (thrown) {
      if (asked === epoch) onFailed(thrown);
      throw thrown;
    }
  }

  function start(over?: Over): Promise<void> {
    const current = { epoch, done: ask(epoch, over) };
    asking = current;
    const finished = () => {
      if (asking === current) asking = undefined;
    };
    current.done.then(finished, finished);
    return current.done;
  }

  /** One listing at a time, however slow. A failure is reported by `onFailed`. */
  async function listAgain(): Promise<void> {
    await asking?.done.catch(() => undefined);
    relist = undefined;
    if (isOpen() && seen !== heard) await start().catch(() => undefined);
  }

  return {
    listedAt: (): number | null => listedAt,
    isFresh,
    /** A list from before counts as of then. */
    remember(at: number): void {
      listedAt ??= at;
    },
    /** Joins a running listing. A fresh list is not asked for again unless forced. */
    async list({ force = false, over }: { force?: boolean; over?: Over } = {}): Promise<void> {
      if (asking?.epoch === epoch) return asking.done;
      if (force || !isFresh()) return start(over);
    },
    take,
    /** Another process: the list is not fresh, and a running listing does not count. */
    renew(): void {
      epoch += 1;
      heard += 1;
    },
    changed(): void {
      heard += 1;
      relist ??= setTimeout(listAgain, Math.max(settleMs, askedAt + gapMs - steadyNow())).unref();
    },
    /** Neither the list nor a running listing counts. */
    forget(): void {
      epoch += 1;
      listedAt = null;
    },
    stop(): void {
      clearTimeout(relist);
      relist = undefined;
    },
  };
}
