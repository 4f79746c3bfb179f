import { isWithin } from "@toolplane/core/lib/async/pause";
import { uniqueId } from "@toolplane/core/lib/ids-and-time";
import type { PostgresAddress } from "@toolplane/core/model/packages";
import type { StoreNews } from "@toolplane/core/model/store";
import type { Client } from "pg";
import { clientOptions, cutClient, isPooled, withinGrace } from "./pool.ts";
import type { Query } from "./query.ts";

const retryMs = 1_000;
/** How often the connection is asked whether it is there, how long its answer counts, and when it is given up. */
const proofIntervalMs = 400;
const freshMs = 1_000;
const silentMs = 6_000;
/** A notification of our own arrives within this time, or none does. */
const proofMs = 3_000;
/** Postgres takes less than 8,000 bytes. */
const maxPayloadBytes = 7_900;

type SchemaName = { schema: string };

/** Planes on different schemas of one database are separate. */
function channelOf({ schema }: SchemaName): string {
  return `toolplane_${schema}`.slice(0, 63);
}

/** As SQL. */
export function lockKey({ schema }: SchemaName, name: string): string {
  return `hashtextextended('toolplane/${schema}/${name.replaceAll("'", "''")}', 0)`;
}

/** Sent with the commit. A payload that is too long is left to polling. */
export async function notify(
  query: Query,
  address: SchemaName,
  instance: string,
  news: StoreNews,
): Promise<void> {
  const payload = JSON.stringify({ from: instance, ...news });
  if (Buffer.byteLength(payload) > maxPayloadBytes) return;
  await send(query, address, payload);
}

export async function send(query: Query, address: SchemaName, payload: string): Promise<void> {
  await query("SELECT pg_notify($1, $2)", [channelOf(address), payload]);
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
const newsAfterGap: readonly StoreNews[] = [
  { what: "journal" },
  { what: "entries" },
  { what: "pins" },
  { what: "keys" },
  { what: "secrets" },
  { what: "signIns" },
  { what: "deadLetters" },
  { what: "defaults" },
  { what: "dueWork", unsent: true },
];

export type Listener = {
  on(listener: (news: StoreNews) => void): () => void;
  isInformed(): boolean;
  close(): Promise<void>;
};

type ListenerOptions = {
  address: PostgresAddress;
  instance: string;
  /** Sends it to all who listen, over another connection. */
  tell(payload: string): Promise<unknown>;
};

/** LISTENs for changes by other planes on a connection of its own, opened for the first listener. */
export function createListener({ address, instance, tell }: ListenerOptions): Listener {
  const listeners = new Set<(news: StoreNews) => void>();
  let currentClient: Client | null = null;
  let connecting: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const emit = (news: StoreNews) => {
    for (const listener of listeners) listener(news);
  };
  const emitMissed = () => newsAfterGap.forEach(emit);
  const proof = createProof(emitMissed, (client) => {
    cutClient(client);
    lose(client);
  });

  function lose(client: Client): void {
    if (currentClient !== client) return;
    currentClient = null;
    proof.end();
    // It is gone already; a new connection replaces it.
    void client.end().catch(() => undefined);
    if (!isClosed) timer = setTimeout(reconnect, retryMs).unref();
  }

  async function connect(): Promise<void> {
    const { default: pg } = await import("pg");
    if (isClosed) return;
    const client = new pg.Client(clientOptions(address.listenUrl));
    currentClient = client;
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
      if ((await isPooled(client)) && !(await hearsNotifications(client))) return stayDeaf(client);
      if (currentClient !== client) return;
      proof.begin(client);
      emitMissed();
    } catch {
      lose(client);
    }
  }

  /** A pooler that gives a session away after each transaction takes a LISTEN, and then passes nothing on. */
  async function hearsNotifications(client: Client): Promise<boolean> {
    const payloadText = `{"proof":"${uniqueId()}"}`;
    const arrival = new Promise<void>((resolve) => {
      client.on("notification", ({ payload }) => {
        if (payload === payloadText) resolve();
      });
    });
    await tell(payloadText);
    return isWithin(arrival, proofMs);
  }

  /** Permanently: only another address helps. */
  async function stayDeaf(client: Client): Promise<void> {
    currentClient = null;
    await client.query("UNLISTEN *").catch(() => undefined);
    await client.end().catch(() => undefined);
    if (isClosed) return;
    process.emitWarning(
      "The store is behind a pooler that passes on no notifications, so that this plane looks for changes once a second. Add '?direct=HOST:PORT' with the address of Postgres itself to the store's address.",
    );
    emitMissed();
    timer = setInterval(emitMissed, retryMs).unref();
  }

  /** Until it listens again, listeners poll at this pace. */
  function reconnect(): void {
    emitMissed();
    connecting = connect();
  }

  return {
    on(listener) {
      listeners.add(listener);
      if (!isClosed) connecting ??= connect();
      return () => void listeners.delete(listener);
    },
    isInformed: proof.isFresh,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      // A server that is silent must not delay it.
      if (connecting)
        await withinGrace(connecting, () => currentClient && cutClient(currentClient));
      proof.end();
      clearTimeout(timer);
      const client = currentClient;
      currentClient = null;
      // Closing keeps the process alive until it is done.
      (client as (Client & { ref(): void }) | null)?.ref();
      if (client) await withinGrace(client.end(), () => cutClient(client)).catch(() => undefined);
    },
  };
}

/**
 * A connection that listens is silent for long, and may be cut without a word. It is asked twice a second: the server sends
 * what it has to tell before it answers. Until it answers again, listeners poll.
 */
function createProof(onDoubt: () => void, onSilence: (client: Client) => void) {
  let provenAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let askedAt: number | null = null;
  let doubtedAt = 0;

  async function ask(client: Client, sentAt: number): Promise<void> {
    askedAt = sentAt;
    try {
      await client.query("SELECT 1");
    } catch {
      // Its end is an event of its own.
      return;
    }
    if (askedAt !== sentAt) return;
    provenAt = sentAt;
    askedAt = null;
  }

  function look(client: Client): void {
    const now = performance.now();
    if (askedAt === null) return void ask(client, now);
    if (now - askedAt >= silentMs) return onSilence(client);
    if (now - Math.max(askedAt, doubtedAt) < freshMs) return;
    doubtedAt = now;
    onDoubt();
  }

  return {
    isFresh: () => performance.now() - provenAt < freshMs,
    begin(client: Client): void {
      provenAt = performance.now();
      timer = setInterval(() => look(client), proofIntervalMs).unref();
    },
    end(): void {
      clearInterval(timer);
      provenAt = Number.NEGATIVE_INFINITY;
      askedAt = null;
    },
  };
}
