import type { Client } from "pg";
import type { StoreNews } from "../../model/store.ts";
import type { PostgresAddress } from "./connection.ts";
import { channelOf, readNews } from "./notify.ts";
import { clientOptions, cutClient, withinGrace } from "./open-pool.ts";

const retryMs = 1_000;

/** Who was away looks at everything once: what was said meanwhile was said to nobody. */
const missed: readonly StoreNews[] = [
  { what: "journal" },
  { what: "entries" },
  { what: "pins" },
  { what: "keys" },
  { what: "deadLetters" },
  { what: "dueWork", unsent: true },
];

export type Listener = {
  on(listener: (news: StoreNews) => void): () => void;
  close(): Promise<void>;
};

/** Hears what other planes tell, on a connection of its own, from when somebody first wants to know. */
export function createListener(address: PostgresAddress, instance: string): Listener {
  const listeners = new Set<(news: StoreNews) => void>();
  let current: Client | null = null;
  let connecting: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const tell = (news: StoreNews) => {
    for (const listener of listeners) listener(news);
  };

  function lose(client: Client): void {
    if (current !== client) return;
    current = null;
    void client.end().catch(() => undefined);
    if (!isClosed) timer = setTimeout(tryAgain, retryMs).unref();
  }

  async function connect(): Promise<void> {
    const { default: pg } = await import("pg");
    if (isClosed) return;
    const client = new pg.Client(clientOptions(address));
    current = client;
    client.on("error", () => lose(client));
    client.on("end", () => lose(client));
    client.on("notification", ({ payload }) => {
      const news = readNews(payload, instance);
      if (news) tell(news);
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${channelOf(address)}`);
      // Nobody stays alive only to listen.
      (client as Client & { unref(): void }).unref();
      if (current !== client) return;
      for (const news of missed) tell(news);
    } catch {
      lose(client);
    }
  }

  /** As long as nothing is heard, everything is looked at from time to time. */
  function tryAgain(): void {
    for (const news of missed) tell(news);
    start();
  }

  function start(): void {
    connecting = connect();
  }

  return {
    on(listener) {
      listeners.add(listener);
      if (connecting === null && !isClosed) start();
      return () => void listeners.delete(listener);
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await connecting;
      const client = current;
      current = null;
      // Whoever waits for the end has to live to see it.
      (client as (Client & { ref(): void }) | null)?.ref();
      if (client) await withinGrace(client.end(), () => cutClient(client)).catch(() => undefined);
    },
  };
}
