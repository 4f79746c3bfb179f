import type { Client } from "pg";
import type { PostgresAddress } from "../../../src/model/packages.ts";
import type { StoreNews } from "../../../src/model/store.ts";
import { clientOptions, cutClient, withinGrace } from "./pool.ts";
import type { Query } from "./query.ts";

const retryMs = 1_000;
/** Postgres takes less than 8,000 bytes. */
const maxPayloadBytes = 7_900;

type Place = { schema: string };

/** Planes on different schemas of one database are separate. */
function channelOf({ schema }: Place): string {
  return `toolplane_${schema}`.slice(0, 63);
}

/** As SQL. */
export function lockKey({ schema }: Place, name: string): string {
  return `hashtextextended('toolplane/${schema}/${name.replaceAll("'", "''")}', 0)`;
}

/** Sent with the commit. A payload that is too long is left to polling. */
export async function notify(query: Query, place: Place, instance: string, news: StoreNews): Promise<void> {
  const payload = JSON.stringify({ from: instance, ...news });
  if (Buffer.byteLength(payload) > maxPayloadBytes) return;
  await query("SELECT pg_notify($1, $2)", [channelOf(place), payload]);
}

/** Null for our own, and for those of a version that we do not understand. */
function parseNotification(payload: string | undefined, instance: string): StoreNews | null {
  try {
    const { from, ...news } = JSON.parse(payload ?? "") as { from: string } & StoreNews;
    return from === instance || typeof news.what !== "string" ? null : (news as StoreNews);
  } catch {
    return null;
  }
}

/** Sent to listeners after a gap, since anything may have changed meanwhile. */
const missed: readonly StoreNews[] = [
  { what: "journal" },
  { what: "entries" },
  { what: "pins" },
  { what: "keys" },
  { what: "signIns" },
  { what: "deadLetters" },
  { what: "dueWork", unsent: true },
];

export type Listener = {
  on(listener: (news: StoreNews) => void): () => void;
  close(): Promise<void>;
};

/** LISTENs for changes by other planes on a connection of its own, opened for the first listener. */
export function createListener(address: PostgresAddress, instance: string): Listener {
  const listeners = new Set<(news: StoreNews) => void>();
  let current: Client | null = null;
  let connecting: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const emit = (news: StoreNews) => {
    for (const listener of listeners) listener(news);
  };

  function lose(client: Client): void {
    if (current !== client) return;
    current = null;
    // It is gone already; a new connection replaces it.
    void client.end().catch(() => undefined);
    if (!isClosed) timer = setTimeout(reconnect, retryMs).unref();
  }

  async function connect(): Promise<void> {
    const { default: pg } = await import("pg");
    if (isClosed) return;
    const client = new pg.Client(clientOptions(address));
    current = client;
    client.on("error", () => lose(client));
    client.on("end", () => lose(client));
    client.on("notification", ({ payload }) => {
      const news = parseNotification(payload, instance);
      if (news) emit(news);
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${channelOf(address)}`);
      // Listening does not keep the process alive.
      (client as Client & { unref(): void }).unref();
      if (current === client) missed.forEach(emit);
    } catch {
      lose(client);
    }
  }

  /** Until it listens again, listeners poll at this pace. */
  function reconnect(): void {
    missed.forEach(emit);
    connecting = connect();
  }

  return {
    on(listener) {
      listeners.add(listener);
      if (!isClosed) connecting ??= connect();
      return () => void listeners.delete(listener);
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      // A server that is silent must not delay it.
      if (connecting) await withinGrace(connecting, () => current && cutClient(current));
      const client = current;
      current = null;
      // Closing keeps the process alive until it is done.
      (client as (Client & { ref(): void }) | null)?.ref();
      if (client) await withinGrace(client.end(), () => cutClient(client)).catch(() => undefined);
    },
  };
}
