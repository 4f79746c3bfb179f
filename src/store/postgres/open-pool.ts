import type { ClientBase, Pool } from "pg";
import type { StoreAddress } from "../../model/store-address.ts";
import { takesNoWrites } from "./store-failure.ts";

/** Statements that change what is there wait for each other at most so long. */
const lockTimeoutMs = 5_000;
const statementTimeoutMs = 30_000;
const connectTimeoutMs = 5_000;
const farewellMs = 3_000;
/** Enough for one plane; a database has a hundred for all. */
export const maxConnections = 8;

type Address = Extract<StoreAddress, { kind: "postgres" }>;

/** What is said to the server on every new connection. A transaction whose process hangs must not hold up the others. */
const settings = [
  `lock_timeout = ${lockTimeoutMs}`,
  `statement_timeout = ${statementTimeoutMs}`,
  `idle_in_transaction_session_timeout = ${statementTimeoutMs}`,
];

export async function openPool(address: Address): Promise<{ pool: Pool; cut(): void }> {
  // Loaded here, so that nobody pays for Postgres who does not use it.
  const { default: pg } = await import("pg");
  const greeting = [`search_path = "${address.schema}"`, ...settings].map((one) => `SET ${one}`).join(";");
  const clients = new Set<ClientBase>();
  const pool = new pg.Pool({
    ...clientOptions(address),
    max: maxConnections,
    allowExitOnIdle: true,
    // The pool waits for it before it gives the connection to anybody.
    onConnect: async (client) => {
      clients.add(client);
      client.once("end", () => clients.delete(client));
      // For as long as it lives: the pool listens only while nobody has the connection, its end may come in the same
      // breath as it is handed over, and an error that nobody hears ends the process.
      client.on("error", () => undefined);
      await client.query(greeting);
    },
  });
  return { pool, cut: () => clients.forEach(cutClient) };
}

/** Without a word to the server: whoever waits for its answer is told now that there will be none. */
export function cutClient(client: ClientBase): void {
  (client as ClientBase & { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

/** A server that stands still says no farewell, and nobody has to wait for it. */
export async function withinGrace(ending: Promise<void>, cut: () => void): Promise<void> {
  const timer = setTimeout(cut, farewellMs);
  await ending.finally(() => clearTimeout(timer));
}

/** Asks on a connection of its own: one of the pool may be as dead as the one that was lost. */
export async function ping(address: Address): Promise<void> {
  const { default: pg } = await import("pg");
  const client = new pg.Client(clientOptions(address));
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query("SELECT current_setting('transaction_read_only') = 'on' AS is_copy");
    if (rows[0]?.is_copy === true) throw takesNoWrites();
  } finally {
    await client.end().catch(() => undefined);
  }
}

export function clientOptions({ url }: Address) {
  return {
    connectionString: url,
    application_name: "toolplane",
    connectionTimeoutMillis: connectTimeoutMs,
    // The server should have given up first; this is for one that says nothing at all.
    query_timeout: statementTimeoutMs + connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}
