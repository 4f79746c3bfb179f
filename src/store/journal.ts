import { setImmediate as nextTurn } from "node:timers/promises";
import { PlaneError } from "../model/errors.ts";
import type { JournalEntry, Store } from "../model/store.ts";
import { appendBatch, type Group } from "./append-batch.ts";
import type { Spool } from "./spool.ts";

export type Journal = {
  /** Resolves when these entries are stored. */
  write(entries: readonly JournalEntry[]): Promise<void>;
  /** The same for whoever only needs to know that they survive the process; undefined when they do already. */
  keep(entries: readonly JournalEntry[]): Promise<void> | undefined;
  /** For what nobody waits for; what is urgent waits for no others to go with it. */
  note(entry: JournalEntry, isUrgent?: boolean): void;
  /** So much waits for a store that is away that no more should be begun. */
  isFull(): boolean;
  /** Stores what is waiting now. */
  flush(): Promise<void>;
  /** Stores what is waiting and takes nothing more. */
  close(): Promise<void>;
};

export type JournalOptions = {
  spool?: Spool;
  /** How long a commit may wait for more to go with it, after one that was made just now. */
  restMs?: number;
  onStored?(): void;
};

/** So many wait for a commit, and no more. */
const maxWaiting = 2_000;
/** What is safe in the spool is tried again, soon at first: what a store refuses for long is mended by a person. */
const soonTries = 5;
const betweenTriesMs = 1_000;
const betweenLaterTriesMs = 30_000;
/** So many groups wait for a store that is away; of those that only tell something half as many. */
const maxTroubled = 20_000;
const nothing = () => undefined;

/** Many callers, one commit: what is written in the same turn of the event loop is appended at once. */
export function createJournal(append: Store["append"], options: JournalOptions = {}): Journal {
  const { spool, restMs = 0, onStored = nothing } = options;
  let waiting: Group[] = [];
  let flushing: Promise<void> | null = null;
  let open = true;
  let isFirst = true;
  let isHurried = false;
  let isUrgent = false;
  let hasWarned = false;
  let cooldownUntil = 0;
  const troubled = new Set<() => void>();
  let wake = nothing;

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      await turn();
      const batch = waiting;
      waiting = [];
      isUrgent = false;
      cooldownUntil = performance.now() + restMs;
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
    const restingMs = cooldownUntil - performance.now();
    if (restingMs <= 0 || isHurried || isUrgent || waiting.length >= maxWaiting) return nextTurn();
    return new Promise((resolve) => {
      const timer = setTimeout(() => wake(), restingMs);
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

  /** Not stored: who waits is told, and what nobody waits for is tried again. */
  function fail(group: Group, reason: unknown): void {
    if (group.waits) return group.waits.reject(reason);
    if (!group.isNote || (isAway(reason) && troubled.size < maxTroubled / 2)) tryAgain(group, reason);
  }

  /** Nobody waits for it, so nobody but us can try again; what is never stored stays in the spool, if it got there. */
  function tryAgain(group: Group, reason: unknown): void {
    // A store that is away has refused nothing.
    if (!isAway(reason) || group.tries === 0) group.tries += 1;
    const isRefused = group.tries >= soonTries && !isAway(reason);
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

  /** Once until all is stored again: whoever can mend it need not read it for each call. */
  function warn(reason: unknown): void {
    if (!hasWarned) process.emitWarning(`Calls cannot be recorded yet: ${tell(reason)}`);
    hasWarned = true;
  }

  /** What was done is on record in the end; who waits is told where it would not survive the process until then. */
  async function rescue(entries: readonly JournalEntry[], reason: unknown): Promise<void> {
    if (!isAway(reason)) throw reason;
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

/** Not refused but not reached: the same is taken later. */
function isAway(thrown: unknown): boolean {
  const isUnreached =
    thrown instanceof PlaneError && (thrown.data.lost === true || thrown.data.busy === true);
  return isUnreached || isMendable(thrown);
}

/** Refused for what a person mends: a disk that is full, rights that are missing. */
function isMendable(thrown: unknown): boolean {
  return thrown instanceof PlaneError && thrown.data.later === true;
}
