import type { Listing } from "../protocol/list-all.ts";

/** After a notice of change: wait for more, and leave a gap to the last listing. */
const settleMs = 50;
const gapMs = 500;

export type DiscoveryOptions<Over> = {
  /** Over this session where one is given; gives up by itself. */
  list(over?: Over): Promise<Listing>;
  onListed(listing: Listing): void;
  onFailed(reason: unknown): void;
  /** 0 is for ever. */
  windowMs: number;
  isOpen(): boolean;
};

export type Discovery<Over> = {
  listedAt(): number | null;
  isFresh(): boolean;
  /** A list from before counts as of then. */
  remember(listedAt: number): void;
  /** Joins a running listing. A fresh list is not asked for again unless forced. */
  list(options?: { force?: boolean; over?: Over }): Promise<void>;
  /** A list from elsewhere. */
  take(listing: Listing): void;
  /** Another process: the list is not fresh, and a running listing does not count. */
  renew(): void;
  /** The server has announced a change. */
  changed(): void;
  /** Neither the list nor a running listing counts. */
  forget(): void;
  stop(): void;
};

/** Asks a server for a list no more often than needed. */
export function createDiscovery<Over = never>(options: DiscoveryOptions<Over>): Discovery<Over> {
  const { list, onListed, onFailed, windowMs, isOpen } = options;
  let listedAt: number | null = null;
  let epoch = 0;
  let asking: { epoch: number; done: Promise<void> } | undefined;
  let relist: NodeJS.Timeout | undefined;
  let askedAt: number | null = null;
  /** Notices of change, and those the last listing has seen. */
  let heard = 0;
  let seen = 0;

  const isFresh = () => seen === heard && listedAt !== null && (windowMs === 0 || Date.now() - listedAt < windowMs);

  function take(listing: Listing): void {
    listedAt = Date.now();
    onListed(listing);
  }

  async function ask(asked: number, over: Over | undefined): Promise<void> {
    const upTo = heard;
    askedAt = Date.now();
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

  return {
    listedAt: () => listedAt,
    isFresh,
    remember(at) {
      listedAt ??= at;
    },
    async list({ force = false, over } = {}) {
      if (asking?.epoch === epoch) return asking.done;
      if (force || !isFresh()) return start(over);
    },
    take,
    renew() {
      epoch += 1;
      heard += 1;
    },
    changed() {
      heard += 1;
      if (relist) return;
      const sinceLast = askedAt === null ? gapMs : Date.now() - askedAt;
      relist = setTimeout(
        async () => {
          // One listing at a time, however slow.
          await asking?.done.catch(() => undefined);
          relist = undefined;
          if (isOpen() && seen !== heard) await start().catch(() => undefined);
        },
        Math.max(settleMs, gapMs - sinceLast),
      );
      relist.unref();
    },
    forget() {
      epoch += 1;
      listedAt = null;
    },
    stop() {
      clearTimeout(relist);
      relist = undefined;
    },
  };
}
