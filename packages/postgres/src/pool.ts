import { pause } from "@toolplane/core/lib/async/pause";
import type { Durability } from "@toolplane/core/model/config/settings";
import type { PostgresAddress } from "@toolplane/core/model/packages";
import type { ClientBase, Pool, PoolClient } from "pg";
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
/** Beside the pool: one that listens, and one that looks whether the server is back. */
const connectionsBeside = 2;

/** A transaction whose process hangs must not block the others. */
const settings = [
  `lock_timeout = ${lockTimeoutMs}`,
  `statement_timeout = ${statementTimeoutMs}`,
  `idle_in_transaction_session_timeout = ${statementTimeoutMs}`,
];

export type OpenedPool = {
  pool: Pool;
  /** How many connections it has at most. */
  most: number;
  /** What each transaction begins with, as SQL. */
  scope(): string;
  cut(): void;
};

/**
 * Directly at the server each connection is set up once. Behind a pooler a session belongs to another client after each
 * transaction, so each transaction is set up.
 */
export async function openPool(
  address: PostgresAddress,
  durability: Durability,
): Promise<OpenedPool> {
  // Loaded only when a Postgres store is opened.
  const { default: pg } = await import("pg");
  const setUp = [`search_path = "${address.schema}"`, ...settings];
  const isSynced = durability !== "process";
  const transactionSettings = setUp.map((setting) => `SET LOCAL ${setting}; `).join("");
  const ofTransaction = isSynced
    ? `${transactionSettings}${waitForDisk(true)}; `
    : transactionSettings;
  const ofSession = setUp.map((setting) => `SET ${setting}`).join(";");
  const clients = new Set<ClientBase>();
  const most = address.connections - connectionsBeside;
  let scope = "";
  const pool = new pg.Pool({
    ...clientOptions(address.url),
    max: most,
    allowExitOnIdle: true,
    // The pool awaits this before it hands out the connection.
    onConnect: async (client) => {
      clients.add(client);
      client.once("end", () => clients.delete(client));
      // The pool listens only while a connection is idle, and an unhandled error event would end the process.
      client.on("error", () => undefined);
      // Who names Postgres apart has a pooler in between, of whatever kind.
      if (address.listenUrl !== address.url || (await isPooled(client))) scope = ofTransaction;
      else await client.query(isSynced ? `${ofSession};${waitForDisk(false)}` : ofSession);
    },
  });
  return { pool, most, scope: () => scope, cut: () => clients.forEach(cutClient) };
}

/** Other values than `off` wait for a disk, and which of them is for the operator of the server to say. */
function waitForDisk(isLocal: boolean): string {
  const isOff = "current_setting('synchronous_commit') = 'off'";
  return `SELECT set_config('synchronous_commit', 'on', ${isLocal}) WHERE ${isOff}`;
}

export function clientOptions(url: string) {
  // The library takes these for the strictest one, and warns on every start that it will not do so for ever.
  const connectionString = /[?&]uselibpqcompat=/.test(url)
    ? url
    : url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, "$1verify-full");
  return {
    connectionString,
    application_name: "toolplane",
    connectionTimeoutMillis: connectTimeoutMs,
    // For a server that does not answer at all; otherwise its own timeout comes first.
    query_timeout: statementTimeoutMs + connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

/** A pooler invents the number of the process that it tells its clients. */
export async function isPooled(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
  return rows[0]?.pid !== (client as ClientBase & { processID: number }).processID;
}

/** Closes the socket without a message to the server, so that pending queries fail at once. */
export function cutClient(client: ClientBase): void {
  (
    client as ClientBase & { connection: { stream: { destroy(): void } } }
  ).connection.stream.destroy();
}

/** A server that hangs must not delay closing. */
export async function withinGrace(ending: Promise<void>, cut: () => void): Promise<void> {
  const timer = setTimeout(cut, closeTimeoutMs);
  await ending.finally(() => clearTimeout(timer));
}

/** Uses a new connection: those of the pool may be dead. */
export async function ping(address: PostgresAddress): Promise<void> {
  const { default: pg } = await import("pg");
  const client = new pg.Client(clientOptions(address.url));
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query(
      "SELECT current_setting('transaction_read_only') = 'on' AS is_copy",
    );
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
export async function withClient<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
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

/** One statement, or several that need not see the same. */
export async function runSingle<T>(
  { pool, scope }: OpenedPool,
  work: (query: Query) => Promise<T>,
): Promise<T> {
  if (scope() === "") return work(queryOf(pool));
  return withClient(pool, async (client) => {
    await client.query(`BEGIN; ${scope()}`);
    return commitAfter(client, () => work(queryOf(client)));
  });
}

/** The rest of a transaction. */
export async function commitAfter<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
  try {
    const value = await work();
    await client.query("COMMIT");
    return value;
  } catch (thrown) {
    if (!isConnectionLost(thrown)) await client.query("ROLLBACK");
    throw thrown;
  }
}

/** For a transaction that holds nothing that others wait for. */
const patience = "SET LOCAL idle_in_transaction_session_timeout = '1h'; ";

/** A snapshot holds no locks, so a slow reader may take an hour. */
export async function beginSnapshot(client: PoolClient, scope: string): Promise<void> {
  await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${scope}${patience}`);
}

/** False where another plane is at it. The lock is one of a transaction: a session may belong to another client in between. */
export async function runAlone(
  client: PoolClient,
  { key, scope }: { key: string; scope: string },
  work: () => Promise<void>,
): Promise<boolean> {
  await client.query(`BEGIN; ${scope}${patience}`);
  return commitAfter(client, async () => {
    const { rows } = await client.query(`SELECT pg_try_advisory_xact_lock(${key}) AS mine`);
    const isMine = rows[0]?.mine === true;
    if (isMine) await work();
    return isMine;
  });
}

/** Returns the transaction's number, by which its outcome is found when its connection is lost. */
export async function beginTransaction(
  client: PoolClient,
  scope: string,
  lockKey: string | undefined,
  isShared = false,
): Promise<string> {
  const takeLock =
    lockKey === undefined
      ? ""
      : `SELECT pg_advisory_xact_lock${isShared ? "_shared" : ""}(${lockKey}); `;
  const answers: unknown = await client.query(
    `BEGIN; ${scope}${takeLock}SELECT txid_current() AS number`,
  );
  const { rows } = (answers as { rows: { number?: unknown }[] }[]).at(-1) ?? { rows: [] };
  return String(rows[0]?.number);
}

/** Null when the server no longer knows. */
export async function wasCommitted(query: Query, number: string): Promise<boolean | null> {
  for (let polls = 0; polls < maxCommitPolls; polls += 1) {
    const status = (await query("SELECT txid_status($1::bigint) AS status", [number])).rows[0]
      ?.status;
    if (status === "committed") return true;
    if (status === "aborted") return false;
    if (status !== "in progress") return null;
    await pause(commitPollMs);
  }
  return null;
}

/** Warns where the server does not wait for its disk at all: no setting of a session changes that. */
export async function checkDisk(client: PoolClient): Promise<void> {
  const { rows } = await client.query("SELECT current_setting('fsync') AS fsync");
  if (rows[0]?.fsync !== "off") return;
  process.emitWarning(
    "The database runs with 'fsync = off': after a power cut, answered revocations, decisions and jobs may be gone, and the database may be damaged. Switch 'fsync' on in its configuration, or set 'durability' to 'process'.",
  );
}

/** Warns when the clocks differ: leases of other planes would seem expired, or last too long. */
export async function checkClock(client: PoolClient): Promise<void> {
  const localBefore = Date.now();
  const { rows } = await client.query(
    "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS theirs",
  );
  const serverTime = Number(rows[0]?.theirs);
  // The round trip takes time, too.
  const localTime = Math.min(Math.max(serverTime, localBefore), Date.now());
  const aheadMs = localTime - serverTime;
  if (Math.abs(aheadMs) < maxClockDifferenceMs) return;
  const difference = `${Math.round(Math.abs(aheadMs) / 1_000)} s ${aheadMs > 0 ? "ahead of" : "behind"}`;
  process.emitWarning(
    `The clock of this machine is ${difference} that of the database. Leases of jobs and dead letters may expire early or late: synchronise both clocks with the same time server.`,
  );
}
