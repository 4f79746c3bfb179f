import { join } from "node:path";
import { createEventBus } from "../lib/event-bus.ts";
import { once } from "../lib/once.ts";
import { redactDeep } from "../lib/redact-deep.ts";
import type { CallRecord } from "../model/call.ts";
import type { EventOf, EventType, PlaneEvent } from "../model/events.ts";
import type { HealthSample } from "../model/health.ts";
import { createHealthFeed } from "../registry/health-feed.ts";

/** Told to whoever listens and then forgotten: servers may say such things a thousand times a second. */
const passing: ReadonlySet<EventType> = new Set(["server.log", "tool.progress", "tool.task"]);

export type Memory = ReturnType<typeof createMemory>;

/** What happened: told to listeners at once, and stored. The store is opened when it is first needed. */
export function createMemory(directory: string | undefined) {
  const bus = createEventBus<PlaneEvent>();
  const stored = createEventBus<{ type: "stored" }>();
  const store = once(async () => {
    const { openSqliteStore } = await import("../store/sqlite.ts");
    return openSqliteStore(directory === undefined ? ":memory:" : join(directory, "toolplane.db"));
  });
  const journal = once(async () => {
    const [{ createJournal }, { append }] = await Promise.all([import("../store/journal.ts"), store()]);
    return createJournal(append);
  });
  const health = createHealthFeed(async (after) => (await store()).newSamples(after));

  return {
    store,
    health,
    open: async () => void (await journal()),
    on: <T extends EventType>(type: T, listener: (event: EventOf<T>) => void) =>
      bus.on(type, listener as (event: PlaneEvent) => void),
    /** Called when there are new events to be read. */
    onStored: (listener: () => void) => stored.on("stored", listener),
    emit(happened: PlaneEvent): void {
      const event = redactDeep(happened);
      bus.emit(event);
      if (passing.has(event.type)) return;
      const entry = { kind: "event", at: new Date().toISOString(), event } as const;
      // A turn later, so that what happens now does not wait for the store to open.
      setImmediate(() =>
        journal()
          .then(({ write }) => write([entry]))
          .then(() => stored.emit({ type: "stored" }))
          .catch(() => undefined),
      );
    },
    async record(call: CallRecord, samples: HealthSample[]): Promise<void> {
      const entries = samples.map((sample) => ({ kind: "sample", sample }) as const);
      await (await journal()).write([{ kind: "call", call }, ...entries]);
      if (samples.length > 0) health.changed();
    },
    /** Nothing was kept where nothing can be kept. */
    knownServers: async (identities: readonly string[]) =>
      directory === undefined ? [] : (await store()).knownServers(identities),
    async close(): Promise<void> {
      // What was told in this turn is on its way to the journal.
      await new Promise(setImmediate);
      // A store that could not be opened has said so already, and has nothing to close.
      if (journal.made())
        await journal().then(
          ({ close }) => close(),
          () => undefined,
        );
      if (store.made())
        await store().then(
          ({ close }) => close(),
          () => undefined,
        );
    },
  };
}
