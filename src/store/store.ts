import { setImmediate as nextTurn } from "node:timers/promises";
import { createEventBus } from "../lib/async/event-bus.ts";
import { once } from "../lib/async/once.ts";
import { nowText } from "../lib/ids-and-time.ts";
import { withoutUndefined } from "../lib/json/plain-data.ts";
import { redactDeep } from "../lib/text/redact.ts";
import type { AgentRun } from "../model/agent/run-schema.ts";
import type { AuditRecord } from "../model/audit-schema.ts";
import { type CallColumns, columnFields } from "../model/calls/call-columns.ts";
import { resultEvent } from "../model/calls/call-events.ts";
import { lineOf } from "../model/calls/call-line.ts";
import type { CallRecord } from "../model/calls/call-schema.ts";
import type { HealthSample } from "../model/catalogue/health.ts";
import type { Config } from "../model/config/config.ts";
import {
  parseStoreAddress,
  type StoreAddress,
  type StoreSettings,
} from "../model/config/settings.ts";
import { PlaneError } from "../model/errors.ts";
import { type EventOf, type EventType, type PlaneEvent, transientEvents } from "../model/events.ts";
import type { StorePackages } from "../model/packages.ts";
import type { Readiness } from "../model/plane.ts";
import type { Principal } from "../model/principal.ts";
import type { KnownServer } from "../model/servers/server.ts";
import type {
  CallEventCount,
  JournalEntry,
  PlaneFiles,
  Store,
  StoreNews,
  StoreTrouble,
} from "../model/store.ts";
import type { AtRisk, Journal, JournalOptions } from "./journal.ts";
import { type OpenedStore, openStore } from "./open-store.ts";
import { createOwnSamples } from "./own-samples.ts";
import { createRunningCalls, type RunningCall } from "./running-calls.ts";
import { createSampleRings } from "./sample-rings.ts";

export { createAudit } from "./audit.ts";
export { createHistory } from "./history.ts";
export { openStore } from "./open-store.ts";
export { createRoots } from "./roots/roots.ts";
export type { RunningCall } from "./running-calls.ts";
export { createSessionStore } from "./session-store.ts";
export { createStateVerbs } from "./state-transfer.ts";
export type { Database, DueRecords, QueryResult, Row, SqlValue, Work } from "./tables/database.ts";
export { loadVaultKey, readVaultKey } from "./vault-key.ts";

/** What every store answers with the same queries. Loaded when one is opened. */
export async function loadTables() {
  const [
    { createTables },
    { selectNextDue },
    { chainCalls, minuteRows },
    { runRow },
    idempotency,
    sealing,
  ] = await Promise.all([
    import("./tables/tables.ts"),
    import("./tables/work.ts"),
    import("./tables/calls.ts"),
    import("./tables/records.ts"),
    import("./idempotent-append.ts"),
    import("./tables/sealed.ts"),
  ]);
  return {
    createTables,
    selectNextDue,
    chainCalls,
    minuteRows,
    runRow,
    ...idempotency,
    ...sealing,
  };
}

const transientTypes: ReadonlySet<EventType> = new Set(transientEvents);

/** Events that a person waits for are written at once. */
const urgentTypes: ReadonlySet<EventType> = new Set([
  "approval.requested",
  "approval.changed",
  "question.asked",
  "question.answered",
]);

/**
 * Under load, entries within this time share a commit. Reads flush first, so they see everything. Short for a file: what
 * waits for long is kept among the old objects of the heap.
 */
const flushDelayMs = { sqlite: 50, postgres: 200 } as const;
/** A store that could not be opened is tried again when it is needed, at most this often. */
const openAgainMs = 1_000;

export type Recorder = ReturnType<typeof createRecorder>;

export type RecorderOptions = {
  address?: StoreAddress;
  /** Must everything be on record before it is answered? */
  isRequired?(): boolean;
  packages?: StorePackages | undefined;
  settings?: StoreSettings;
  planeFiles?(): PlaneFiles;
};

/** Events and records of a plane: emitted to listeners at once, written through the journal. Opens the store lazily. */
export function createRecorder(
  directory: string | undefined,
  {
    address = { kind: "sqlite" },
    isRequired = () => false,
    packages,
    settings,
    planeFiles,
  }: RecorderOptions = {},
) {
  const bus = createEventBus<PlaneEvent>();
  const signals = createEventBus<{ type: "stored" } | { type: "samples" }>();
  const isKept = directory !== undefined || address.kind === "postgres";
  const notifications = createNotifications(signals.emit);
  let openedJournal: Journal | undefined;
  let trouble: () => StoreTrouble | null = () => null;
  let isInformed = () => false;
  const opened = once(async () => {
    const openedStore = await openStore({
      address,
      directory,
      packages,
      files: configuration()?.own ?? [],
      ...withoutUndefined({ settings }),
    });
    ({ trouble, isInformed } = openedStore.store);
    const report = (change: StoreTrouble | null) =>
      emit(change ? { type: "store.lost", reason: change.reason } : { type: "store.back" });
    openedStore.store.onTrouble(report);
    const troubleNow = trouble();
    if (troubleNow !== null) report(troubleNow);
    notifications.watch(openedStore.store);
    return openedStore;
  }, openAgainMs);
  const store = once(async () =>
    flushBeforeRead((await opened()).store, async () => openedJournal?.flush()),
  );
  /** A file is written within a millisecond, so that a read sees everything. Of a shared store a caller waits for their own. */
  const storeOf = async ({ user }: Pick<Principal, "user">) =>
    address.kind === "sqlite"
      ? store()
      : flushBeforeRead((await opened()).store, async () => openedJournal?.flushOf(user));
  const journal = once(async () => {
    const onStored = () => signals.emit({ type: "stored" });
    openedJournal = await openJournal(await opened(), address, { onStored, also: rings });
    return openedJournal;
  });

  // Planes that share a named store share what it has; those that only share a data directory do not.
  const configuration = () =>
    planeFiles === undefined || address.kind === "postgres" ? null : planeFiles();
  const health = createOwnSamples(configuration);
  const running = createRunningCalls(note);
  const rings = createSampleRings((entries) => openedJournal?.note(entries));

  function emit(event: PlaneEvent): void {
    emitClean(redactDeep(event));
  }

  /** Emits an event that holds no secret. */
  function emitClean(event: PlaneEvent): void {
    const { type } = event;
    // The record of the call has its result.
    if (type === "tool.result") return bus.emit(event);
    if ("callId" in event) running.announce(event.callId);
    bus.emit(event);
    if (transientTypes.has(type)) return;
    // What is listed at the start is no change: a command that only looks writes nothing.
    if (type === "registry.changed" && !openedJournal) return;
    note({ kind: "event", at: nowText(), event }, urgentTypes.has(type));
  }

  function note(entry: JournalEntry, isUrgent = false): void {
    if (openedJournal) openedJournal.note([entry], isUrgent);
    else openJournalSoon((journal) => journal.note([entry], isUrgent));
  }

  /** Opens the journal a turn later, so that the emitter does not wait. Where it cannot be opened, nothing is written. */
  function openJournalSoon(write?: (journal: Journal) => void): void {
    // Callers that need the store get the error.
    setImmediate(() =>
      journal()
        .then(write)
        .catch(() => undefined),
    );
  }

  return {
    store,
    storeOf,
    emit,
    emitClean,
    /** Announces that a call begins. What it returns is passed on to the call's record. */
    begin(event: EventOf<"tool.call">, principal: Principal): RunningCall {
      bus.emit(event);
      if (!openedJournal) openJournalSoon();
      return running.begin(event, principal);
    },
    /** Who made a call that has no record yet. */
    ownerOf: running.owner,
    runningCalls: running.list,
    /** Whether the store outlives this process. */
    outlivesUs: isKept,
    configuration,
    /** Whether the store sends change notifications of other planes. */
    tells: address.kind === "postgres",
    onNews: notifications.on,
    /** Whether other planes would have told of what they changed more than a second ago. */
    isInformed: () => isInformed(),
    listen: (reactions: Reactions) => notifications.start(reactions, opened),
    open: async () => void (await journal()),
    on: <T extends EventType>(type: T, listener: (event: EventOf<T>) => void) =>
      bus.on(type, listener as (event: PlaneEvent) => void),
    /** Called when there are new events to read. */
    onStored(listener: () => void): () => void {
      const unsubscribers = [signals.on("stored", listener)];
      let isOver = false;
      opened()
        .then(({ store }) => {
          if (!isOver) unsubscribers.push(store.watchRecords(listener));
        })
        .catch(() => undefined);
      return () => {
        isOver = true;
        for (const unsubscribe of unsubscribers) unsubscribe();
      };
    },
    newSamples: async (after: number) => health.ours(await (await store()).newSamples(after)),
    /** Called when health samples were added, here or by another plane. */
    onSamples: (listener: () => void) => signals.on("samples", listener),
    /** What grows, with its limits. */
    stored: async (config: Config) => {
      const { describeStored } = await import("./stored-kinds.ts");
      return describeStored(await (await store()).holdings(), config, directory);
    },
    /** Looks for damage, which `readiness` tells of then. */
    examine: async () => (await opened()).store.examine(),
    async readiness(): Promise<Readiness> {
      await opened();
      const troubleNow = trouble();
      const risk = openedJournal?.atRisk() ?? null;
      if (troubleNow === null && risk === null) return { ready: true };
      if (risk !== null)
        return {
          ready: false,
          reason: riskText(risk),
          since: risk.since,
          unrecorded: risk.records,
        };
      return {
        ready: false,
        reason: troubleNow?.isDamaged ? damaged : unreachable,
        since: troubleNow?.since ?? nowText(),
      };
    },
    /** Throws while the queue for an unreachable store is full, or where everything must be on record and cannot be. */
    requireRoom(): void {
      if (openedJournal === undefined) return;
      if (openedJournal.isFull()) throw queueFull();
      const risk = openedJournal.atRisk();
      if (risk !== null && isRequired()) throw refusedUnrecorded(risk.reason);
    },
    /** Undefined when the record is safe already. */
    record(
      call: RecordedCall,
      samples: HealthSample[],
      runningCall: RunningCall,
    ): Promise<void> | undefined {
      const entries = [toCallEntry(call, running.end(runningCall))];
      const marked = health.marked(samples);
      rings.add(marked);
      const keepIn = (journal: Journal) => {
        const keeping = journal.keep(
          entries,
          marked.map((sample) => ({ kind: "sample", sample })),
        );
        const refuse = (thrown: unknown) => {
          throw ranUnrecorded(thrown, "text" in call || call.attempts.length > 0);
        };
        // No promise more per call where it is not required.
        const checked = keeping && isRequired() ? keeping.catch(refuse) : keeping;
        if (samples.length > 0) signals.emit({ type: "samples" });
        return checked;
      };
      if (openedJournal) return keepIn(openedJournal);
      // After the events of this turn, which wait for the store, too.
      return nextTurn().then(journal).then(keepIn);
    },
    /** Records how a call ended that waited for a person and has not run. */
    async recordEnd(call: CallRecord): Promise<void> {
      // The call's start was stored as an event while it waited.
      await (await journal()).keep([toCallEntry(call, 1)]);
      emitClean(redactDeep(resultEvent(call)));
    },
    /** Rejects only where nothing may be answered without its record; otherwise it waits in memory. */
    async recordChange(record: AuditRecord, isDone: boolean): Promise<void> {
      try {
        await (await journal()).keep([{ kind: "audit", record }]);
      } catch (thrown) {
        if (isRequired()) throw ranUnrecorded(thrown, isDone);
      }
    },
    /** Adds health samples that belong to no call. They are stored with the next commit. */
    async recordSamples(samples: readonly HealthSample[]): Promise<void> {
      await journal();
      rings.add(health.marked(samples));
      signals.emit({ type: "samples" });
    },
    async recordRun(run: AgentRun): Promise<void> {
      await (await journal()).keep([{ kind: "run", run }]);
    },
    /** Empty when the store cannot be read: the servers are listed instead. */
    async knownServers(identities: readonly string[]): Promise<KnownServer[]> {
      if (!isKept) return [];
      return store()
        .then((opened) => opened.knownServers(identities))
        .catch(() => []);
    },
    async close(): Promise<void> {
      running.close();
      // Events of this turn are on their way to the journal.
      await nextTurn();
      // A store that could not be opened has been reported, and has nothing to close.
      const nothing = () => undefined;
      const closingJournal = journal.made() ? await journal().catch(nothing) : undefined;
      try {
        await closingJournal?.close();
      } finally {
        if (opened.made()) await opened().then((openedStore) => openedStore.store.close(), nothing);
      }
    },
  };
}

type Reactions = { [What in StoreNews["what"]]?: () => unknown };

/** Change notifications: what other planes on the same store have changed. */
function createNotifications(signal: (event: { type: "stored" } | { type: "samples" }) => void) {
  const listeners = new Set<(news: StoreNews) => void>();
  let receive: ((news: StoreNews) => void) | undefined;
  let watched: Store | undefined;
  const watch = (store: Store) => {
    if (!receive || watched === store) return;
    watched = store;
    store.watch(receive);
  };
  return {
    watch,
    on(listener: (news: StoreNews) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    start(reactions: Reactions, opened: () => Promise<OpenedStore>): void {
      receive = (news) => {
        if (news.what === "journal") {
          signal({ type: "samples" });
          signal({ type: "stored" });
        }
        reactions[news.what]?.();
        for (const listener of listeners) listener(news);
      };
      // A store that cannot be opened is reported to the callers that need it.
      opened()
        .then(({ store }) => {
          watch(store);
          return store.examine({ afterCrash: true });
        })
        .catch(() => undefined);
    },
  };
}

async function openJournal(
  { store, spool, durability }: OpenedStore,
  address: StoreAddress,
  options: Pick<JournalOptions, "onStored" | "also">,
): Promise<Journal> {
  const [{ createJournal }, { createSpool, noSpool }] = await Promise.all([
    import("./journal.ts"),
    import("./spool.ts"),
  ]);
  const journalOptions = {
    durability,
    flushDelayMs: flushDelayMs[address.kind],
    sync: store.sync,
    ...options,
  };
  if (spool !== undefined)
    return createJournal(store.append, { ...journalOptions, spool: createSpool(spool) });
  // Without a spool, records on Postgres wait for the commit; a store in memory has nothing to lose.
  return createJournal(
    store.append,
    address.kind === "sqlite" ? { ...journalOptions, spool: noSpool } : journalOptions,
  );
}

/** The record of a call. A call that ran brings it as JSON already. */
type RecordedCall = CallRecord | { columns: CallColumns; text: string };

/** Serialised at once: a waiting text takes less memory than its record. */
function toCallEntry(call: RecordedCall, events: CallEventCount): JournalEntry {
  if ("text" in call) return { kind: "call", call: call.columns, text: call.text, events };
  const line = lineOf(call);
  return { kind: "call", call: columnsOf(line), text: JSON.stringify(line), events };
}

function columnsOf(line: CallRecord): CallColumns {
  const { id, at, durationMs, principal } = line;
  const columns: Record<string, unknown> = {
    id,
    at,
    durationMs,
    principal: { user: principal.user },
  };
  for (const field of columnFields) columns[field] = line[field];
  return columns as CallColumns;
}

/** Methods of the store that read what the journal may still hold. */
const readsThatFlush = [
  ...([
    "call",
    "callOwners",
    "calls",
    "lastUses",
    "callSeries",
    "verifyCalls",
    "forgetCalls",
    "events",
    "lastEventId",
  ] as const),
  ...(["holdings", "callAt", "forgetEvents"] as const),
  ...(["samples", "newSamples", "run", "runs", "forgetRuns", "titleRuns", "removeRuns"] as const),
  ...(["audit", "audited", "verifyAudit", "forgetAudit", "chainEnds", "chainedCall"] as const),
];

function flushBeforeRead(store: Store, flush: () => Promise<void>): Store {
  const reads = readsThatFlush.map((name) => {
    const read = store[name] as (...args: unknown[]) => Promise<unknown>;
    return [name, (...args: unknown[]) => flush().then(() => read(...args))] as const;
  });
  return { ...store, ...Object.fromEntries(reads) };
}

const unreachable = "The store cannot be reached. What needs it fails until it is back.";
const damaged =
  "The store is damaged. Restore a copy of it, or move it away to start with an empty one.";
const notRecorded = "The record could not be taken, and 'audit.required' is set.";
const remedy = "'toolplane doctor' names the reason; nothing is taken until it is mended.";

function refusedUnrecorded(cause: unknown): PlaneError {
  return new PlaneError("RECORD_FAILED", `${notRecorded} Nothing was run. ${remedy}`, {
    data: { done: false },
    cause,
  });
}

function ranUnrecorded(cause: unknown, isDone: boolean): PlaneError {
  const text = `${notRecorded} It ${isDone ? "was done anyway" : "was not done"}. ${remedy}`;
  return new PlaneError("RECORD_FAILED", text, { data: { done: isDone }, cause });
}

/** Why records are at risk, without the path of the store. */
function riskText({ records, reason }: AtRisk): string {
  const reasonText =
    reason instanceof PlaneError && typeof reason.data.why === "string"
      ? `: ${reason.data.why}`
      : "";
  return `Records cannot be written${reasonText}. ${records} wait in memory and are written when that is mended.`;
}

function queueFull(): PlaneError {
  return new PlaneError(
    "STORE_FAILED",
    "The store takes no records, and the queue of calls to be recorded is full. Nothing was run; ask again later.",
    { data: { lost: true } },
  );
}

/** Throws CONFIG_INVALID without repeating the address, which may hold a password. */
export function requireStoreAddress(text: string): StoreAddress {
  const address = parseStoreAddress(text);
  if ("problem" in address)
    throw new PlaneError("CONFIG_INVALID", `The store: ${address.problem}. ${address.hint}`);
  return address;
}
