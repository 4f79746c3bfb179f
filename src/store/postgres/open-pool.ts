import type { Pool } from "pg";
import type { StoreAddress } from "../../model/store-address.ts";

/** Statements that change what is there wait for each other at most so long. */
const lockTimeoutMs = 5_000;
const statementTimeoutMs = 30_000;
const connectTimeoutMs = 5_000;
/** Enough for one plane; a database has a hundred for all. */
export const mostConnections = 8;

type Address = Extract<StoreAddress, { kind: "postgres" }>;

/** What is said to the server on every new connection. A transaction whose process hangs must not hold up the others. */
const settings = [
  `lock_timeout = ${lockTimeoutMs}`,
  `statement_timeout = ${statementTimeoutMs}`,
  `idle_in_transaction_session_timeout = ${statementTimeoutMs}`,
];

export async function openPool(address: Address): Promise<Pool> {
  // Loaded here, so that nobody pays for Postgres who does not use it.
  const { default: pg } = await import("pg");
  const greeting = [`search_path = "${address.schema}"`, ...settings].map((one) => `SET ${one}`).join(";");
  return new pg.Pool({
    ...clientOptions(address),
    max: mostConnections,
    allowExitOnIdle: true,
    // The pool waits for it before it gives the connection to anybody.
    onConnect: async (client) => void (await client.query(greeting)),
  });
}

/** Asks on a connection of its own: one of the pool may be as dead as the one that was lost. */
export async function ping(address: Address): Promise<void> {
  const { default: pg } = await import("pg");
  const client = new pg.Client(clientOptions(address));
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("SELECT 1");
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
