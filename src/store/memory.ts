import { createEventBus } from "../lib/event-bus.ts";
import { nowText } from "../lib/now-text.ts";
import { once } from "../lib/once.ts";
import { redactDeep } from "../lib/redact-deep.ts";
import type { AgentRun } from "../model/agent-run.ts";
import type { CallRecord } from "../model/call.ts";
import { PlaneError } from "../model/errors.ts";
import type { EventOf, EventType, PlaneEvent } from "../model/events.ts";
import type { HealthSample } from "../model/health.ts";
import type { Readiness } from "../model/plane.ts";
import type { KnownServer } from "../model/server.ts";
import type { JournalEntry, StoreNews, StoreTrouble } from "../model/store.ts";
import type { StoreAddress } from "../model/store-address.ts";
import { toCallEntry } from "./call-entry.ts";
import type { Journal } from "./journal.ts";
import { createNews } from "./news.ts";
import { type OpenedStore, openStore } from "./open-store.ts";
import { upToDate } from "./up-to-date.ts";

/** Told to whoever listens and then forgotten: servers may say such things a thousand times a second. */
const passing: ReadonlySet<EventType> = new Set(["server.log", "tool.progress", "tool.task"]);

/** Somebody is waited for. */
const urgent: ReadonlySet<EventType> = new Set([
  "approval.requested",
  "approval.changed",
  "question.asked",
  "question.answered",
]);

/** Under load, what comes within this time is committed at once. Whoever reads before waits for nothing: it is stored then. */
const restMs = 200;

/** A store that could not be opened is tried again when it is needed, and not more often than this. */
const openAgainMs = 1_000;

export type Memory = ReturnType<typeof createMemory>;

/** What happened: told to listeners at once, and stored. The store is opened when it is first needed. */
export function createMemory(directory: string | undefined, address: StoreAddress = { kind: "sqlite" }) {
  const bus = createEventBus<PlaneEvent>();
  const stored = createEventBus<{ type: "stored" }>();
  const samples = createEventBus<{ type: "samples" }>();
  const news = createNews();
  const isKept = directory !== undefined || address.kind === "postgres";
  let written: Journal | undefined;
  let trouble: () => StoreTrouble | null = () => null;
  const opened = once(async () => {
    const found = await openStore(address, directory);
    trouble = found.store.trouble;
    const tell = (now: StoreTrouble | null) =>
      emit(now ? { type: "store.lost", reason: now.reason } : { type: "store.back" });
    found.store.onTrouble(tell);
    const now = trouble();
    if (now !== null) tell(now);
    hearFrom(found);
    return found;
  }, openAgainMs);
  let hear: ((news: StoreNews) => void) | undefined;
  let heard: OpenedStore | undefined;
  /** Also of a store that could be opened only later. */
  const hearFrom = (found: OpenedStore) => {
    if (!hear || heard === found) return;
    heard = found;
    found.store.watch(hear);
  };
  /** What was written a moment ago is read as if it had been stored at once. */
  const store = once(async () => upToDate((await opened()).store, async () => written?.flush()));
  const journal = once(async () => {
    const [{ createJournal }, { createSpool, noSpool }, { store: found, spool: file }] = await Promise.all([
      import("./journal.ts"),
      import("./spool.ts"),
      opened(),
    ]);
    // Without a place of its own a plane on a server waits for each record; one in memory has nothing to lose.
    const spool =
      file === undefined
        ? address.kind === "sqlite"
          ? { spool: noSpool }
          : {}
        : { spool: createSpool(file) };
    written = createJournal(found.append, {
      ...spool,
      restMs,
      onStored: () => stored.emit({ type: "stored" }),
    });
    return written;
  });

  function emit(happened: PlaneEvent): void {
    const event = redactDeep(happened);
    bus.emit(event);
    if (passing.has(event.type)) return;
    const entry = { kind: "event", at: nowText(), event } as const;
    const isUrgent = urgent.has(event.type);
    if (written) return written.note(entry, isUrgent);
    // A turn later, so that what happens now does not wait for the store to open.
    setImmediate(() =>
      journal()
        .then(({ note }) => note(entry, isUrgent))
        .catch(() => undefined),
    );
  }

  return {
    store,
    emit,
    /** Does what is kept outlive this process? */
    outlivesUs: isKept,
    async readiness(): Promise<Readiness> {
      await opened();
      const now = trouble();
      if (now === null) return { ready: true };
      const reason = "The store cannot be reached. What needs it fails until it is back.";
      return { ready: false, reason, since: now.since };
    },
    /** Can the store tell what other planes change? */
    tells: address.kind === "postgres",
    /** Told when another plane has changed something, where the store can tell. */
    onNews: news.on,
    /** From now on it is heard, and what has to be done about it is done. */
    listen(reactions: { [What in StoreNews["what"]]?: () => unknown }): void {
      hear = (one) => {
        if (one.what === "journal") {
          samples.emit({ type: "samples" });
          stored.emit({ type: "stored" });
        }
        reactions[one.what]?.();
        news.tell(one);
      };
      // A store that cannot be opened is reported to the callers that need it.
      opened().then(hearFrom, () => undefined);
    },
    /** Throws while so much waits for the store that no more calls can be taken. */
    requireRoom(): void {
      if (written?.isFull()) throw noRoom();
    },
    open: async () => void (await journal()),
    on: <T extends EventType>(type: T, listener: (event: EventOf<T>) => void) =>
      bus.on(type, listener as (event: PlaneEvent) => void),
    /** Called when there are new events to be read. */
    onStored: (listener: () => void) => stored.on("stored", listener),
    newSamples: async (after: number) => (await store()).newSamples(after),
    /** Called when samples of health were added, here or by another plane. */
    onSamples: (listener: () => void) => samples.on("samples", listener),
    /** Undefined when the record is safe already. */
    record(call: CallRecord, added: HealthSample[]): Promise<void> | undefined {
      const entries: JournalEntry[] = [toCallEntry(call)];
      for (const sample of added) entries.push({ kind: "sample", sample });
      const keep = (into: Journal) => {
        const kept = into.keep(entries);
        if (added.length > 0) samples.emit({ type: "samples" });
        return kept;
      };
      return written ? keep(written) : journal().then(keep);
    },
    async recordRun(run: AgentRun): Promise<void> {
      await (await journal()).keep([{ kind: "run", run }]);
    },
    /** Nothing was kept where nothing can be kept; where it cannot be read now, the servers are asked. */
    async knownServers(identities: readonly string[]): Promise<KnownServer[]> {
      return isKept
        ? store()
            .then((kept) => kept.knownServers(identities))
            .catch(() => [])
        : [];
    },
    async close(): Promise<void> {
      // What was told in this turn is on its way to the journal.
      await new Promise(setImmediate);
      // A store that could not be opened has said so already, and has nothing to close.
      if (journal.made())
        await journal().then(
          ({ close }) => close(),
          () => undefined,
        );
      if (opened.made())
        await opened().then(
          (found) => found.store.close(),
          () => undefined,
        );
    },
  };
}

function noRoom(): PlaneError {
  return new PlaneError(
    "STORE_FAILED",
    "The store takes no records, and as many calls wait to be recorded as may. Nothing was run; ask again when it does.",
    { data: { lost: true } },
  );
}
