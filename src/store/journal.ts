import { setImmediate as nextTurn } from "node:timers/promises";
import { errorText } from "../lib/text/error-text.ts";
import { countOf } from "../lib/text/wording.ts";
import type { Durability } from "../model/config/settings.ts";
import { PlaneError } from "../model/errors.ts";
import type { JournalEntry } from "../model/store.ts";
import { type Append, appendBatch, type Group, isMendable, isUnavailable } from "./append-batch.ts";
import type { Spool } from "./spool.ts";
import { createSpoolWatch, mustSync, type SpoolWatch } from "./spool-watch.ts";

export type Journal = {
  /** Resolves when these entries are stored. */
  write(entries: readonly JournalEntry[]): Promise<void>;
  /**
   * Resolves when these entries survive what `durability` says; undefined when they do already. `samples` are stored later,
   * and survive until then.
   */
  keep(
    entries: readonly JournalEntry[],
    samples?: readonly JournalEntry[],
  ): Promise<void> | undefined;
  /** Stored in the background; urgent entries are not delayed. */
  note(entries: readonly JournalEntry[], isUrgent?: boolean): void;
  /** Records that would not survive the process, and since when; null when all do. */
  atRisk(): AtRisk | null;
  /** The queue for an unreachable store is full: take no more calls. */
  isFull(): boolean;
  /** Resolves when all that was given before is stored, or waits to be tried again. Later entries do not delay it. */
  flush(): Promise<void>;
  /** The same for what this user did before; what others did is not waited for. */
  flushOf(user: string | null): Promise<void>;
  /** Stores what is waiting and takes nothing more. Rejects where records are lost with the process. */
  close(): Promise<void>;
};

export type AtRisk = { records: number; since: string; reason: unknown };

export type JournalOptions = {
  spool?: Spool;
  /** How long after a commit the next one waits for more entries. */
  flushDelayMs?: number;
  durability?: Durability;
  /** Resolves when what was appended before survives a power cut. */
  sync?(): Promise<void>;
  onStored?(): void;
  /** What else waits to be stored: all of it, or what is worth being stored with the next commit. */
  also?: { take(): JournalEntry[]; takeFew(): JournalEntry[] };
};

/** Groups that wait for one commit. */
const maxWaitingGroups = 2_000;
/** Entries in the spool are retried, soon at first. A store that refuses for long needs a person. */
const maxQuickTries = 5;
const retryMs = 1_000;
const slowRetryMs = 30_000;
/** Groups that wait for an unreachable store; half as many of notes. */
const maxRetriedGroups = 20_000;
const nothing = () => undefined;
const settled: Pick<PromiseWithResolvers<void>, "promise" | "resolve"> = {
  promise: Promise.resolve(),
  resolve: nothing,
};

const noOtherEntries = { take: () => [], takeFew: () => [] };

type State = ReturnType<typeof createState>;

function createState(
  append: Append,
  {
    spool,
    flushDelayMs = 0,
    durability = "process",
    sync = async () => undefined,
    onStored = nothing,
    also = noOtherEntries,
  }: JournalOptions,
) {
  return {
    append,
    spool,
    flushDelayMs,
    durability,
    sync,
    onStored,
    also,
    waiting: [] as Group[],
    /** Settled with the batch that holds what is waiting; where nothing waits, with the last one. */
    batch: settled,
    isFlushing: false,
    flushing: Promise.resolve(),
    /** Calls or changes are in the store, and perhaps not on the disk. */
    isUnsynced: false,
    watch: null as SpoolWatch | null,
    /** The batch that is being stored. */
    storing: null as { groups: readonly Group[]; ended: Promise<void> } | null,
    nextFlushAt: 0,
    isOpen: true,
    isUrgent: false,
    hasWarned: false,
    /** What tries each group again that could not be stored. */
    troubled: new Set<() => void>(),
    /** Calls and changes that are in memory only. */
    unsafe: new Set<Group>(),
    risk: null as Omit<AtRisk, "records"> | null,
    /** Ends the wait for more entries. */
    wake: nothing as () => void,
  };
}

/** Many callers, one commit: what is written in the same turn of the event loop is appended at once. */
export function createJournal(append: Append, options: JournalOptions = {}): Journal {
  const state = createState(append, options);
  const { spool, troubled } = state;
  if (spool !== undefined && state.durability !== "process")
    state.watch = createSpoolWatch(spool, (thrown) => warn(state, thrown));
  let isFirst = true;
  return {
    write: (entries) => write(state, entries),
    keep(entries, samples = []) {
      // A command that makes one call needs no file for it.
      const isSpooling =
        spool !== undefined && state.isOpen && !isFirst && state.waiting.length < maxWaitingGroups;
      isFirst = false;
      const isSynced = mustSync(state.durability, entries);
      if (!isSpooling) {
        const written = write(state, entries);
        return (isSynced ? written.then(state.sync) : written).catch((reason) =>
          rescue(state, { entries, tries: 0, isNote: false }, reason),
        );
      }
      const group: Group = { entries, tries: 0, isNote: false };
      const spooling = spool.add(samples.length === 0 ? entries : [...entries, ...samples]);
      if (spooling === undefined) group.isSpooled = true;
      push(state, group);
      if (isSynced) return keepSynced(state, spool, group, spooling);
      state.watch?.look();
      return spooling?.then((isSafe) => {
        group.isSpooled = isSafe;
        return isSafe ? undefined : keepWithoutSpool(state, group);
      });
    },
    note(entries, urgently = false) {
      if (!state.isOpen) return;
      push(state, { entries, tries: 0, isNote: true });
      if (urgently) hurry(state);
    },
    atRisk: () => state.risk && { ...state.risk, records: state.unsafe.size },
    isFull: () => troubled.size >= maxRetriedGroups,
    flush: () => storeAll(state),
    async flushOf(user) {
      if (state.waiting.some((group) => isOfUser(group, user))) {
        hurry(state);
        await state.batch.promise;
      } else if (state.storing?.groups.some((group) => isOfUser(group, user)))
        await state.storing.ended;
    },
    async close() {
      state.isOpen = false;
      for (const retry of [...troubled]) retry();
      await storeAll(state);
      await state.flushing;
      state.watch?.stop();
      await spool?.close();
      if (state.unsafe.size > 0) throw recordsLost(state);
    },
  };
}

function recordsLost({ unsafe, risk }: State): PlaneError {
  const reason = risk?.reason;
  const lost = countOf(unsafe.size, "record");
  return new PlaneError("STORE_FAILED", `${lost} could not be written: ${errorText(reason)}`, {
    data: { unwritten: unsafe.size },
    cause: reason,
  });
}

async function flush(state: State): Promise<void> {
  state.isFlushing = true;
  while (state.waiting.length > 0) {
    await waitForTurn(state);
    const { waiting: batch, batch: batchEnd } = state;
    state.waiting = [];
    state.isUrgent = false;
    const otherEntries = state.also.takeFew();
    if (otherEntries.length > 0) batch.push({ entries: otherEntries, tries: 0, isNote: true });
    state.nextFlushAt = performance.now() + state.flushDelayMs;
    const clearSpool = state.spool?.leave();
    state.storing = { groups: batch, ended: batchEnd.promise };
    await appendBatch(state.append, batch, (group, reason) => fail(state, group, reason));
    if (state.unsafe.size > 0)
      for (const group of batch) if (group.isStored) noteSafe(state, group);
    state.onStored();
    state.storing = null;
    batchEnd.resolve();
    const isSynced = await syncStored(state, batch);
    if (isSynced && state.troubled.size === 0) {
      state.hasWarned = false;
      clearSpool?.();
    }
  }
  state.isFlushing = false;
}

/** The lines of a batch are forgotten once it is on the disk, and not before: the spool may be all that a power cut leaves. */
async function syncStored(state: State, batch: readonly Group[]): Promise<boolean> {
  try {
    state.isUnsynced ||= batch.some(({ isStored, isNote }) => isStored && !isNote);
    if (state.isUnsynced) await state.sync();
    state.isUnsynced = false;
    return true;
  } catch (thrown) {
    warn(state, thrown);
    return false;
  }
}

async function keepSynced(
  state: State,
  spool: Spool,
  group: Group,
  spooling: Promise<boolean> | undefined,
): Promise<void> {
  group.isSpooled = spooling === undefined || (await spooling);
  if (group.isSpooled) return spool.sync();
  await keepWithoutSpool(state, group);
  await state.sync();
}

/** A turn per batch: it lets neighbours join, and a caller that writes in a loop never starves the rest. */
function waitForTurn(state: State): Promise<void> {
  const delayMs = state.nextFlushAt - performance.now();
  if (delayMs <= 0 || state.isUrgent || state.waiting.length >= maxWaitingGroups) return nextTurn();
  return new Promise((resolve) => {
    const timer = setTimeout(() => state.wake(), delayMs);
    state.wake = () => {
      clearTimeout(timer);
      state.wake = nothing;
      resolve();
    };
  });
}

/** The next commit does not wait for more entries. */
function hurry(state: State): void {
  state.isUrgent = true;
  state.wake();
}

function push(state: State, group: Group): void {
  if (state.waiting.length === 0) state.batch = Promise.withResolvers();
  state.waiting.push(group);
  if (state.waiting.length === maxWaitingGroups) state.wake();
  if (!state.isFlushing) state.flushing = flush(state);
}

async function write(state: State, entries: readonly JournalEntry[]): Promise<void> {
  if (!state.isOpen)
    throw new PlaneError("STORE_FAILED", "The journal is closed. Nothing more can be recorded.");
  const { promise, ...waits } = Promise.withResolvers<void>();
  push(state, { entries, waits, tries: 0, isNote: false });
  hurry(state);
  await promise;
}

function fail(state: State, group: Group, reason: unknown): void {
  if (group.waits) return group.waits.reject(reason);
  const isRetried =
    !group.isNote || (isUnavailable(reason) && state.troubled.size < maxRetriedGroups / 2);
  if (isRetried) tryAgain(state, group, reason);
}

function tryAgain(state: State, group: Group, reason: unknown): void {
  group.reason = reason;
  if (group.isSpooled && state.spool?.isGone()) group.isSpooled = false;
  if (!group.isNote && !group.isSpooled) noteRisk(state, group, reason);
  // An unreachable store has refused nothing.
  if (!isUnavailable(reason) || group.tries === 0) group.tries += 1;
  const isRefused = group.tries >= maxQuickTries && !isUnavailable(reason);
  if (isRefused || isMendable(reason)) warn(state, reason);
  const retry = () => {
    clearTimeout(timer);
    state.troubled.delete(retry);
    delete group.waits;
    push(state, group);
    void spoolAgain(state, group);
  };
  state.troubled.add(retry);
  const waitMs = isRefused ? slowRetryMs : retryMs;
  const retryIfOpen = () => {
    if (state.isOpen) retry();
  };
  const timer = setTimeout(retryIfOpen, waitMs).unref();
}

/** A disk that is back takes what waits in memory, even where the store is still away. */
async function spoolAgain(state: State, group: Group): Promise<void> {
  if (group.isSpooled || group.isNote || state.spool === undefined) return;
  group.isSpooled = (await state.spool.add(group.entries)) ?? true;
  if (group.isSpooled) noteSafe(state, group);
}

function noteRisk(state: State, group: Group, reason: unknown): void {
  state.unsafe.add(group);
  state.risk ??= { since: new Date().toISOString(), reason };
  warn(state, reason);
}

function noteSafe(state: State, group: Group): void {
  if (state.unsafe.delete(group) && state.unsafe.size === 0) state.risk = null;
}

/** Once until all is stored again, not for each call. */
function warn(state: State, reason: unknown): void {
  if (!state.hasWarned) process.emitWarning(`Calls cannot be recorded yet: ${errorText(reason)}`);
  state.hasWarned = true;
}

/** Retries in the background; rejects when the entries would not survive the process until then. */
async function rescue(state: State, group: Group, reason: unknown): Promise<void> {
  if (!isUnavailable(reason)) throw reason;
  delete group.waits;
  if (!group.isSpooled && state.spool !== undefined)
    group.isSpooled = (await state.spool.add(group.entries)) ?? true;
  tryAgain(state, group, reason);
  if (!group.isSpooled) throw reason;
}

/** The spool could not be written, so nothing is safe before it is in the store. */
async function keepWithoutSpool(state: State, group: Group): Promise<void> {
  if (group.isStored) return;
  if (group.reason !== undefined) {
    // It has failed already and waits to be tried again.
    noteRisk(state, group, group.reason);
    throw group.reason;
  }
  const { promise, ...waits } = Promise.withResolvers<void>();
  group.waits = waits;
  await promise.catch((reason) => rescue(state, group, reason));
}

function storeAll(state: State): Promise<void> {
  const otherEntries = state.also.take();
  if (otherEntries.length > 0) push(state, { entries: otherEntries, tries: 0, isNote: true });
  if (state.waiting.length > 0) hurry(state);
  return state.batch.promise;
}

/** Whether what a user did is in it. */
function isOfUser({ entries }: Group, user: string | null): boolean {
  return entries.some((entry) => {
    if (entry.kind === "call") return entry.call.principal.user === user;
    if (entry.kind === "audit") return entry.record.user === user;
    return entry.kind === "run" && entry.run.user === user;
  });
}
