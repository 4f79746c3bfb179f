import { backoffMs } from "../lib/async/pause.ts";
import { steadyNow } from "../lib/async/steady-time.ts";
import type { Listing } from "../protocol/list-all.ts";

/** After a notice of change: wait for more, and leave a gap to the last listing. */
const settleMs = 50;
const gapBackoff = { firstMs: 500, maxMs: 60_000 };
/** A notice within this time after a listing may have come because of it. */
const echoMs = 1_000;
/** Listings in a row that may bring a notice before the gap grows, as where tools are added one by one. */
const maxEchoes = 3;

type DiscoveryOptions<Over> = {
  /** Over this session where one is given; gives up by itself. */
  list(over?: Over): Promise<Listing>;
  onListed(listing: Listing): void;
  onFailed(reason: unknown): void;
  /** 0 is for ever. */
  windowMs: number;
  isOpen(): boolean;
  /** Each listing brings another notice of change, so the list is asked for only now and then. */
  onFlapping?(): void;
};

export type Discovery<Over> = ReturnType<typeof createDiscovery<Over>>;

export function createDiscovery<Over = never>(options: DiscoveryOptions<Over>) {
  const { list, onListed, onFailed, windowMs, isOpen } = options;
  let listedAt: number | null = null;
  let epoch = 0;
  let runningListing: { epoch: number; done: Promise<void> } | undefined;
  let relist: { timer: NodeJS.Timeout; done: Promise<void>; finish(): void } | undefined;
  const gap = createGap(() => options.onFlapping?.());
  /** Notices of change, and those the last listing has seen. */
  let noticeCount = 0;
  let listedNotices = 0;
  /** Another process may have another list, so its own is asked for at once. */
  let isOwed = true;

  const isInTime = () =>
    listedAt !== null && (windowMs === 0 || Math.abs(Date.now() - listedAt) < windowMs);
  /** While it flaps, the last list is as good as the next. */
  const isResting = () => !isOwed && gap.isFlapping() && gap.leftMs() > 0;
  const isFresh = () => isInTime() && (listedNotices === noticeCount || isResting());

  function take(listing: Listing): void {
    listedAt = Date.now();
    isOwed = false;
    onListed(listing);
  }

  async function ask(askedEpoch: number, over: Over | undefined): Promise<void> {
    const noticesBefore = noticeCount;
    gap.asked();
    try {
      const listing = await list(over);
      if (askedEpoch !== epoch) return;
      listedNotices = noticesBefore;
      take(listing);
    } catch (thrown) {
      if (askedEpoch === epoch) onFailed(thrown);
      throw thrown;
    } finally {
      gap.answered();
    }
  }

  function start(over?: Over): Promise<void> {
    const request = { epoch, done: ask(epoch, over) };
    runningListing = request;
    const finished = () => {
      if (runningListing === request) runningListing = undefined;
    };
    request.done.then(finished, finished);
    return request.done;
  }

  /** One listing at a time, however slow. A failure is reported by `onFailed`. */
  async function listAgain(): Promise<void> {
    await runningListing?.done.catch(() => undefined);
    relist = undefined;
    if (isOpen() && listedNotices !== noticeCount) await start().catch(() => undefined);
  }

  function listSoon(): NonNullable<typeof relist> {
    if (relist) return relist;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => resolve(listAgain()), Math.max(settleMs, gap.leftMs())).unref();
    relist = { timer, done: promise, finish: resolve };
    return relist;
  }

  return {
    listedAt: (): number | null => listedAt,
    isFresh,
    /** A list from before counts as of then. */
    remember(rememberedAt: number): void {
      listedAt ??= rememberedAt;
    },
    /** Joins a running listing. A fresh list is not asked for again unless forced. */
    async list({ force = false, over }: { force?: boolean; over?: Over } = {}): Promise<void> {
      if (runningListing?.epoch === epoch) return runningListing.done;
      if (!force && (isFresh() || isResting())) return;
      if (force || isOwed || listedNotices === noticeCount || gap.leftMs() <= 0) return start(over);
      const scheduled = listSoon();
      scheduled.timer.ref();
      return scheduled.done;
    },
    take,
    /** Another process: the list is not fresh, and a running listing does not count. */
    renew(): void {
      epoch += 1;
      noticeCount += 1;
      isOwed = true;
      gap.reset();
    },
    changed(): void {
      noticeCount += 1;
      gap.noticed();
      listSoon();
    },
    isFlapping: gap.isFlapping,
    /** Neither the list nor a running listing counts. */
    forget(): void {
      epoch += 1;
      listedAt = null;
      isOwed = true;
    },
    stop(): void {
      clearTimeout(relist?.timer);
      relist?.finish();
      relist = undefined;
    },
  };
}

/** The gap between two listings: it grows while each brings another notice. */
function createGap(onFlapping: () => void) {
  let askedAt = Number.NEGATIVE_INFINITY;
  let answeredAt = Number.NEGATIVE_INFINITY;
  let echoes = 0;
  let isEchoed = false;
  const mayEcho = () => steadyNow() - answeredAt <= echoMs;
  const isFlapping = () => echoes > maxEchoes && (isEchoed || mayEcho());
  return {
    isFlapping,
    leftMs: () =>
      askedAt +
      (isFlapping() ? backoffMs(gapBackoff, echoes - maxEchoes + 1) : gapBackoff.firstMs) -
      steadyNow(),
    asked(): void {
      askedAt = steadyNow();
      answeredAt = Number.POSITIVE_INFINITY;
      isEchoed = false;
    },
    answered(): void {
      answeredAt = steadyNow();
    },
    noticed(): void {
      if (isEchoed) return;
      isEchoed = mayEcho();
      echoes = isEchoed ? echoes + 1 : 0;
      if (echoes === maxEchoes + 1) onFlapping();
    },
    reset(): void {
      echoes = 0;
    },
  };
}
