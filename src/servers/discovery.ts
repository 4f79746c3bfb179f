import type { Listing } from "../protocol/list-all.ts";

/** After a notice of change: wait for more of them, and leave a gap to the last listing. */
const settleMs = 50;
const gapMs = 500;

export type DiscoveryOptions = {
  /** Asks the server; gives up by itself. */
  list(): Promise<Listing>;
  onListed(listing: Listing): void;
  onFailed(reason: unknown): void;
  /** How long a listing is good. 0 is for ever. */
  windowMs: number;
  /** Is there still somebody to ask? */
  isOpen(): boolean;
};

export type Discovery = {
  /** When it was listed last. */
  listedAt(): number | null;
  isFresh(): boolean;
  /** What is known from before counts as listed then. */
  remember(listedAt: number): void;
  /** Lists now, or joins those who wait for a listing already. What is fresh is not asked again unless forced. */
  list(options?: { force?: boolean }): Promise<void>;
  /** The server says that its list is another one. */
  changed(): void;
  /** What is known, and what is just being asked, is not to be relied on. */
  forget(): void;
  stop(): void;
};

/** Knows when a server was asked for its tools, and asks no more often than needed. */
export function createDiscovery(options: DiscoveryOptions): Discovery {
  const { list, onListed, onFailed, windowMs, isOpen } = options;
  let listedAt: number | null = null;
  let epoch = 0;
  let asking: { epoch: number; done: Promise<void> } | undefined;
  let relist: NodeJS.Timeout | undefined;
  let askedAt: number | null = null;
  /** Notices of change, and how many of them the last listing has seen. */
  let heard = 0;
  let seen = 0;

  const isFresh = () =>
    seen === heard && listedAt !== null && (windowMs === 0 || Date.now() - listedAt < windowMs);

  async function ask(asked: number): Promise<void> {
    const upTo = heard;
    askedAt = Date.now();
    try {
      const listing = await list();
      if (asked !== epoch) return;
      seen = upTo;
      listedAt = Date.now();
      onListed(listing);
    } catch (thrown) {
      if (asked === epoch) onFailed(thrown);
      throw thrown;
    }
  }

  function start(): Promise<void> {
    const current = { epoch, done: ask(epoch) };
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
    async list({ force = false } = {}) {
      if (asking?.epoch === epoch) return asking.done;
      if (force || !isFresh()) return start();
    },
    changed() {
      heard += 1;
      if (relist) return;
      const sinceLast = askedAt === null ? gapMs : Date.now() - askedAt;
      relist = setTimeout(
        async () => {
          // One listing at a time, however slow it is.
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
