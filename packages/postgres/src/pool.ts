import type { ClientBase, Pool, PoolClient } from "pg";
import { pause } from "../../../src/lib/async/pause.ts";
import type { PostgresAddress } from "../../../src/model/packages.ts";
import { asValue, type Query } from "./query.ts";
import { isConnectionLost, takesNoWrites } from "./store-failure.ts";

const lockTimeoutMs = 5_000;
const statementTimeoutMs = 30_000;
const connectTimeoutMs = 5_000;
export const closeTimeoutMs = 3_000;
/** A lease lasts fifteen seconds or more, by the clock of its plane. */
const maxClockDifferenceMs = 5_000;
/** How often, and how many times, the server is asked about a commit whose connection broke. */
const commitPollMs = 50;
const maxCommitPolls = 20;
/** Enough for one plane; a database has a hundred for all. */
export const maxConnections = 8;

/** For every new connection. A transaction whose process hangs must not block the others. */
const settings = [
  `lock_timeout = ${lockTimeoutMs}`,
  `statement_timeout = ${statementTimeoutMs}`,
  `idle_in_transaction_session_timeout = ${statementTimeoutMs}`,
];

export async function openPool(address: PostgresAddress): Promise<{ pool: Pool; cut(): void }> {
  // Loaded only when a Postgres store is opened.
  const { default: pg } = await import("pg");
  const setUp = [`search_path = "${address.schema}"`, ...settings].map((one) => `SET ${one}`).join(";");
  const clients = new Set<ClientBase>();
  const pool = new pg.Pool({
    ...clientOptions(address),
    max: maxConnections,
    allowExitOnIdle: true,
    // The pool awaits this before it hands out the connection.
    onConnect: async (client) => {
      clients.add(client);
      client.once("end", () => clients.delete(client));
      // The pool listens only while a connection is idle, and an unhandled error event would end the process.
      client.on("error", () => undefined);
      await client.query(setUp);
    },
  });
  return { pool, cut: () => clients.forEach(cutClient) };
}

export function clientOptions({ url }: PostgresAddress) {
  return {
    connectionString: url,
    application_name: "toolplane",
    connectionTimeoutMillis: connectTimeoutMs,
    // For a server that does not answer at all; otherwise its own timeout comes first.
    query_timeout: statementTimeoutMs + connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

/** Closes the socket without a message to the server, so that pending queries fail at once. */
export function cutClient(client: ClientBase): void {
  (client as ClientBase & { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

/** A server that hangs must not delay closing. */
export async function withinGrace(ending: Promise<void>, cut: () => void): Promise<void> {
  const timer = setTimeout(cut, closeTimeoutMs);
  await ending.finally(() => clearTimeout(timer));
}

/** Uses a new connection: those of the pool may be dead. */
export async function ping(address: PostgresAddress): Promise<void> {
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

export function queryOf(client: Pool | PoolClient): Query {
  return async (sql, values = []) => {
    const { rows, rowCount } = await client.query(sql, values.map(asValue));
    return { rows, count: rowCount ?? 0 };
  };
}

/** A lost client is not used again. */
export async function withClient<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let isBroken = true;
  try {
    const value = await work(client);
    isBroken = false;
    return value;
  } catch (thrown) {
    isBroken = isConnectionLost(thrown);
    throw thrown;
  } finally {
    client.release(isBroken);
  }
}

/** A snapshot holds no locks, so a slow reader may take an hour. */
export async function beginSnapshot(client: PoolClient): Promise<void> {
  await client.query(
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = '1h'",
  );
}

/** Returns the transaction's number, by which its outcome is found when its connection is lost. */
export async function beginTransaction(client: PoolClient, lockKey: string | undefined): Promise<string> {
  const taking = lockKey === undefined ? "" : `SELECT pg_advisory_xact_lock(${lockKey}); `;
  const answers: unknown = await client.query(`BEGIN; ${taking}SELECT txid_current() AS number`);
  const { rows } = (answers as { rows: { number?: unknown }[] }[]).at(-1) ?? { rows: [] };
  return String(rows[0]?.number);
}

/** Null when the server no longer knows. */
export async function wasCommitted(query: Query, number: string): Promise<boolean | null> {
  for (let asked = 0; asked < maxCommitPolls; asked += 1) {
    const status = (await query("SELECT txid_status($1::bigint) AS status", [number])).rows[0]?.status;
    if (status === "committed") return true;
    if (status === "aborted") return false;
    if (status !== "in progress") return null;
    await pause(commitPollMs);
  }
  return null;
}

/** Warns when the clocks differ: leases of other planes would seem expired, or last too long. */
export async function checkClock(client: PoolClient): Promise<void> {
  const before = Date.now();
  const { rows } = await client.query("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS theirs");
  const theirs = Number(rows[0]?.theirs);
  // The round trip takes time, too.
  const nearest = Math.min(Math.max(theirs, before), Date.now());
  const aheadMs = nearest - theirs;
  if (Math.abs(aheadMs) < maxClockDifferenceMs) return;
  const far = `${Math.round(Math.abs(aheadMs) / 1_000)} s ${aheadMs > 0 ? "ahead of" : "behind"}`;
  process.emitWarning(
    `The clock of this machine is ${far} that of the database. Leases of jobs and dead letters may expire early or late: synchronise both clocks with the same time server.`,
  );
}
