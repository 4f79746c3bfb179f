import { setImmediate as nextTurn } from "node:timers/promises";
import { PlaneError } from "../model/errors.ts";
import type { JournalEntry, Store } from "../model/store.ts";
import type { Spool } from "./spool.ts";

export type Journal = {
  /** Resolves when these entries are stored. */
  write(entries: readonly JournalEntry[]): Promise<void>;
  /** Resolves when these entries survive the process; undefined when they do already. */
  keep(entries: readonly JournalEntry[]): Promise<void> | undefined;
  /** Stored in the background; an urgent entry is not delayed. */
  note(entry: JournalEntry, isUrgent?: boolean): void;
  /** The queue for an unreachable store is full: take no more calls. */
  isFull(): boolean;
  /** Stores what is waiting now. */
  flush(): Promise<void>;
  /** Stores what is waiting and takes nothing more. */
  close(): Promise<void>;
};

export type JournalOptions = {
  spool?: Spool;
  /** How long after a commit the next one waits for more entries. */
  flushDelayMs?: number;
  onStored?(): void;
};

/** The entries of one caller: stored together or not at all. */
type Group = {
  entries: readonly JournalEntry[];
  waits?: { resolve(): void; reject(reason: unknown): void };
  tries: number;
  /** An event, which may be dropped under pressure. */
  isNote: boolean;
};

type Fail = (group: Group, reason: unknown) => void;

/** Groups that wait for one commit. */
const maxWaiting = 2_000;
/** Entries in the spool are retried, soon at first. A store that refuses for long needs a person. */
const soonTries = 5;
const betweenTriesMs = 1_000;
const betweenLaterTriesMs = 30_000;
/** Groups that wait for an unreachable store; half as many of notes. */
const maxTroubled = 20_000;
const nothing = () => undefined;

/** Many callers, one commit: what is written in the same turn of the event loop is appended at once. */
export function createJournal(append: Store["append"], options: JournalOptions = {}): Journal {
  const { spool, flushDelayMs = 0, onStored = nothing } = options;
  let waiting: Group[] = [];
  let flushing: Promise<void> | null = null;
  let open = true;
  let isFirst = true;
  let isHurried = false;
  let isUrgent = false;
  let hasWarned = false;
  let nextFlushAt = 0;
  const troubled = new Set<() => void>();
  let wake = nothing;

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      await turn();
      const batch = waiting;
      waiting = [];
      isUrgent = false;
      nextFlushAt = performance.now() + flushDelayMs;
      const forget = spool?.leave();
      await appendBatch(append, batch, fail);
      if (troubled.size === 0) {
        hasWarned = false;
        forget?.();
      }
      onStored();
    }
    flushing = null;
  }

  /** A turn per batch: it lets neighbours join, and a caller that writes in a loop never starves the rest. */
  function turn(): Promise<void> {
    const delayMs = nextFlushAt - performance.now();
    if (delayMs <= 0 || isHurried || isUrgent || waiting.length >= maxWaiting) return nextTurn();
    return new Promise((resolve) => {
      const timer = setTimeout(() => wake(), delayMs);
      wake = () => {
        clearTimeout(timer);
        wake = nothing;
        resolve();
      };
    });
  }

  function push(group: Group): void {
    waiting.push(group);
    if (waiting.length === maxWaiting) wake();
    flushing ??= flush();
  }

  async function write(entries: readonly JournalEntry[]): Promise<void> {
    if (!open) throw new PlaneError("STORE_FAILED", "The journal is closed. Nothing more can be recorded.");
    const { promise, ...waits } = Promise.withResolvers<void>();
    push({ entries, waits, tries: 0, isNote: false });
    await promise;
  }

  function fail(group: Group, reason: unknown): void {
    if (group.waits) return group.waits.reject(reason);
    if (!group.isNote || (isUnavailable(reason) && troubled.size < maxTroubled / 2)) tryAgain(group, reason);
  }

  function tryAgain(group: Group, reason: unknown): void {
    // An unreachable store has refused nothing.
    if (!isUnavailable(reason) || group.tries === 0) group.tries += 1;
    const isRefused = group.tries >= soonTries && !isUnavailable(reason);
    if (isRefused || isMendable(reason)) warn(reason);
    const again = () => {
      clearTimeout(timer);
      troubled.delete(again);
      push({ entries: group.entries, tries: group.tries, isNote: false });
    };
    troubled.add(again);
    const waitMs = isRefused ? betweenLaterTriesMs : betweenTriesMs;
    const timer = setTimeout(() => open && again(), waitMs).unref();
  }

  /** Once until all is stored again, not for each call. */
  function warn(reason: unknown): void {
    if (!hasWarned) process.emitWarning(`Calls cannot be recorded yet: ${tell(reason)}`);
    hasWarned = true;
  }

  /** Retries in the background; rejects when the entries would not survive the process until then. */
  async function rescue(entries: readonly JournalEntry[], reason: unknown): Promise<void> {
    if (!isUnavailable(reason)) throw reason;
    const isSafe = spool !== undefined && (await isAdded(spool, entries));
    tryAgain({ entries, tries: 0, isNote: false }, reason);
    if (!isSafe) throw reason;
  }

  /** The spool could not be written, so nothing is safe before it is in the store. */
  async function keepWithout(group: Group): Promise<void> {
    if (!waiting.includes(group)) return storeAll();
    const { promise, ...waits } = Promise.withResolvers<void>();
    group.waits = waits;
    await promise.catch((reason) => rescue(group.entries, reason));
  }

  async function storeAll(): Promise<void> {
    isHurried = true;
    wake();
    while (flushing) await flushing;
    isHurried = false;
  }

  return {
    write,
    keep(entries) {
      // A command that makes one call needs no file for it.
      const spools = spool !== undefined && open && !isFirst && waiting.length < maxWaiting;
      isFirst = false;
      if (!spools) return write(entries).catch((reason) => rescue(entries, reason));
      const group: Group = { entries, tries: 0, isNote: false };
      const safe = spool.add(entries);
      push(group);
      return safe?.then((isSafe) => (isSafe ? undefined : keepWithout(group)));
    },
    note(entry, urgently = false) {
      if (!open) return;
      isUrgent ||= urgently;
      push({ entries: [entry], tries: 0, isNote: true });
      if (isUrgent) wake();
    },
    isFull: () => troubled.size >= maxTroubled,
    flush: storeAll,
    async close() {
      open = false;
      for (const again of [...troubled]) again();
      await storeAll();
      spool?.close();
    },
  };
}

function tell(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}

async function isAdded(spool: Spool, entries: readonly JournalEntry[]): Promise<boolean> {
  return (await spool.add(entries)) ?? true;
}

/** Not reached, or busy: the same write may succeed later. */
function isUnavailable(thrown: unknown): boolean {
  const isUnreached = thrown instanceof PlaneError && (thrown.data.lost === true || thrown.data.busy === true);
  return isUnreached || isMendable(thrown);
}

/** Needs a person: a full disk, missing rights. */
function isMendable(thrown: unknown): boolean {
  return thrown instanceof PlaneError && thrown.data.later === true;
}

/** One bad write must not fail its neighbours, so a failed batch is tried once more, group by group. */
async function appendBatch(append: Store["append"], batch: readonly Group[], fail: Fail): Promise<void> {
  try {
    await append(batch.flatMap((group) => group.entries));
    for (const group of batch) group.waits?.resolve();
  } catch (thrown) {
    await appendEach(append, batch, thrown, fail);
  }
}

async function appendEach(
  append: Store["append"],
  batch: readonly Group[],
  reason: unknown,
  fail: Fail,
): Promise<void> {
  let last = reason;
  for (const group of batch) {
    try {
      // A locked store has waited its full time already; each try would stop the process as long again.
      if (isLocked(last)) throw last;
      await append(group.entries);
      group.waits?.resolve();
    } catch (thrown) {
      last = thrown;
      fail(group, thrown);
    }
  }
}

function isLocked(thrown: unknown): boolean {
  return thrown instanceof PlaneError && thrown.data.locked === true;
}
