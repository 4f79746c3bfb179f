import type { PoolClient } from "pg";
import { once } from "../lib/async/once.ts";
import { uniqueId } from "../lib/stamps.ts";
import { PlaneError } from "../model/errors.ts";
import type { JsonObject } from "../model/json.ts";
import type { SharedStep, SharedValues, Store } from "../model/store.ts";
import { postgresMigrations } from "./migrations/postgres-migrations.ts";
import type { Migration } from "./migrations/sqlite-migrations.ts";
import { createCallTable } from "./postgres/calls.ts";
import { createCatalogueTables, createPinTable } from "./postgres/catalogue.ts";
import { type Connection, createConnection } from "./postgres/connection.ts";
import { createDeadLetterTable } from "./postgres/dead-letters.ts";
import { createDueWork } from "./postgres/due-work.ts";
import { createHeldCallTable, createPlanTable } from "./postgres/held-calls.ts";
import { createJobStore } from "./postgres/jobs.ts";
import { createListener, lockKey } from "./postgres/notifications.ts";
import { createMessages } from "./postgres/pg-boss.ts";
import { checkClock, type PostgresAddress } from "./postgres/pool.ts";
import type { Query } from "./postgres/query.ts";
import { createJournalTables, createResultTable } from "./postgres/records.ts";
import { createStateStore } from "./postgres/state.ts";
import { parseApiKey } from "./rows.ts";

const apiKeys = "SELECT record, last_used_at, revoked_at FROM api_keys";

/** API keys by the hash of their secret, and secrets that are encrypted before they get here. */
function createCredentialTables({ read, write }: Connection) {
  const changed = { notify: { what: "keys" } } as const;
  return {
    addApiKey: ({ lastUsedAt, revokedAt, ...record }, hash) =>
      write(async (query) => {
        const sql = "INSERT INTO api_keys (id, hash, record, last_used_at, revoked_at) VALUES ($1, $2, $3, $4, $5)";
        await query(sql, [record.id, hash, JSON.stringify(record), lastUsedAt, revokedAt]);
      }, changed),
    apiKeyByHash: (hash) =>
      read(async (query) => {
        const { rows } = await query(`${apiKeys} WHERE hash = $1`, [hash]);
        return rows[0] ? parseApiKey(rows[0]) : null;
      }),
    apiKeys: () => read(async (query) => (await query(`${apiKeys} ORDER BY sequence`)).rows.map(parseApiKey)),
    hasApiKeys: () => read(async (query) => (await query("SELECT 1 FROM api_keys LIMIT 1")).count > 0),
    revokeApiKey: (id, at) =>
      write(async (query) => {
        const sql = "UPDATE api_keys SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL";
        return (await query(sql, [at, id])).count === 1;
      }, changed),
    deleteApiKey: (id) =>
      write(async (query) => (await query("DELETE FROM api_keys WHERE id = $1", [id])).count === 1, changed),
    touchApiKey: (id, at) =>
      write(async (query) => {
        const sql =
          "UPDATE api_keys SET last_used_at = $1 WHERE id = $2 AND (last_used_at IS NULL OR last_used_at < $1)";
        await query(sql, [at, id]);
      }),
    secret: (key) =>
      read(async (query) => {
        const { rows } = await query("SELECT value FROM secrets WHERE key = $1", [key]);
        return rows[0] ? (rows[0].value as Uint8Array) : null;
      }),
    putSecret: (key, value) =>
      write(async (query) => {
        const sql =
          "INSERT INTO secrets (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
        await query(sql, [key, value]);
      }),
    deleteSecret: (key) =>
      write(async (query) => (await query("DELETE FROM secrets WHERE key = $1", [key])).count === 1),
    secrets: (prefix) =>
      read(async (query) => {
        const sql = "SELECT key FROM secrets WHERE starts_with(key, $1) ORDER BY key";
        return (await query(sql, [prefix])).rows.map(({ key }) => String(key));
      }),
  } satisfies Partial<Store>;
}

/** A store that several planes share. Opens also while the server is unreachable, and works once it is back. */
export async function openPostgresStore(address: PostgresAddress): Promise<Store> {
  const instance = uniqueId();
  const connection = await createConnection(address, instance, async (client) => {
    await migrate(client, address);
    await checkClock(client);
  });
  const listener = createListener(address, instance);
  const messages = createMessages();
  const due = createDueWork({ connection, address, listener, messages });
  const calls = createCallTable(connection);
  return {
    ...createJournalTables(connection, calls.call),
    ...calls,
    ...createResultTable(connection),
    ...createHeldCallTable(connection),
    ...createPlanTable(connection),
    ...createCredentialTables(connection),
    ...createCatalogueTables(connection),
    ...createPinTable(connection),
    ...createDeadLetterTable(connection, messages),
    ...createJobStore(connection, messages),
    dueWork: () => due.open(),
    ...createSharedValues(connection, address),
    ...createStateStore(connection),
    trouble: connection.trouble,
    onTrouble: connection.onTrouble,
    watch: listener.on,
    alone: connection.alone,
    close: once(async () => {
      await due.close();
      await Promise.all([listener.close(), connection.close()]);
    }),
  };
}

/** The server's clock, because the clocks of several machines differ. */
const now = "(extract(epoch FROM clock_timestamp()) * 1000)::float8";

function createSharedValues({ read, write }: Connection, address: PostgresAddress): SharedValues {
  return {
    sharedValue: async (key) => (await read((query) => selectShared(query, key))).value,
    changeShared: (key, keptMs, step, notifies = false) =>
      write(
        (query) => changeShared(query, address, key, keptMs, step),
        notifies ? { notify: { what: "shared", key } } : {},
      ),
    sharedKeys: (keys) =>
      read(async (query) => {
        const sql = `SELECT key FROM shared_values WHERE key = ANY($1::text[]) AND until > ${now} ORDER BY key`;
        return (await query(sql, [keys])).rows.map(({ key }) => String(key));
      }),
    forgetShared: () => write(async (query) => (await query(`DELETE FROM shared_values WHERE until <= ${now}`)).count),
  };
}

async function selectShared(query: Query, key: string) {
  const { rows } = await query(
    `SELECT ${now} AS now, (SELECT value FROM shared_values WHERE key = $1 AND until > ${now}) AS value`,
    [key],
  );
  const { value, now: at } = rows[0] as { value: string | null; now: number };
  return { value: value === null ? null : (JSON.parse(value) as JsonObject), now: Number(at) };
}

async function changeShared<T>(
  query: Query,
  { schema }: PostgresAddress,
  key: string,
  keptMs: number,
  step: SharedStep<T>,
): Promise<T> {
  // As a value, not with `lockKey`: a key may hold any character.
  await query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`toolplane/${schema}/shared ${key}`]);
  const before = await selectShared(query, key);
  const { value, answer } = step(before.value, before.now);
  if (value === null) await query("DELETE FROM shared_values WHERE key = $1", [key]);
  else
    await query(
      "INSERT INTO shared_values (key, until, value) VALUES ($1, $2, $3) " +
        "ON CONFLICT (key) DO UPDATE SET until = excluded.until, value = excluded.value",
      [key, Math.ceil(before.now + keptMs), JSON.stringify(value)],
    );
  return answer;
}

type State = { encoding: string; hasSchema: boolean; isOurs: boolean; isEmpty: boolean };

/** Brings the schema to the newest version. Forward only, all or nothing; several planes may try at once. */
async function migrate(client: PoolClient, address: PostgresAddress, migrations = postgresMigrations): Promise<void> {
  // First without a lock: a user without the right to create can use a current schema.
  if ((await pendingOf(client, address, migrations)).length === 0) return;
  try {
    // Waits for another plane that migrates, without a timeout.
    await client.query("BEGIN; SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0");
    await client.query(`SELECT pg_advisory_xact_lock(${lockKey(address, "migrate")})`);
    const pending = await pendingOf(client, address, migrations);
    if (pending.length > 0) await prepareSchema(client, address);
    for (const { id, sql } of pending) {
      await client.query(sql);
      await client.query("INSERT INTO toolplane_migrations (id) VALUES ($1)", [id]);
    }
    await client.query("COMMIT");
  } catch (thrown) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw thrown;
  }
}

async function pendingOf(
  client: PoolClient,
  address: PostgresAddress,
  migrations: readonly Migration[],
): Promise<Migration[]> {
  const state = await stateOf(client, address);
  const { shown, schema } = address;
  if (state.encoding !== "UTF8")
    throw refuse(shown, `has the encoding ${state.encoding}. Create a database with ENCODING 'UTF8'`);
  if (!state.isOurs && !state.isEmpty)
    throw refuse(shown, `has tables of another program in its schema '${schema}'. Name another one with '?schema='`);
  const version = state.isOurs ? await versionOf(client) : 0;
  const newest = migrations.at(-1)?.id ?? 0;
  if (version > newest)
    throw refuse(
      shown,
      `was written by a newer version: it has format ${version}, and this version knows ${newest}. Update this installation, or name another schema`,
    );
  return migrations.filter(({ id }) => id > version);
}

async function stateOf(client: PoolClient, { schema }: PostgresAddress): Promise<State> {
  const { rows } = await client.query<State>(
    `SELECT current_setting('server_encoding') AS encoding,
            EXISTS (SELECT FROM pg_namespace WHERE nspname = $1) AS "hasSchema",
            EXISTS (SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = 'toolplane_migrations') AS "isOurs",
            NOT EXISTS (SELECT FROM pg_tables WHERE schemaname = $1) AS "isEmpty"`,
    [schema],
  );
  return rows[0] as State;
}

async function versionOf(client: PoolClient): Promise<number> {
  const { rows } = await client.query("SELECT coalesce(max(id), 0) AS version FROM toolplane_migrations");
  return Number(rows[0]?.version);
}

async function prepareSchema(client: PoolClient, address: PostgresAddress): Promise<void> {
  const { hasSchema } = await stateOf(client, address);
  // IF NOT EXISTS would need the right to create a schema even where it exists.
  if (!hasSchema) await client.query(`CREATE SCHEMA "${address.schema}"`);
  await client.query(
    "CREATE TABLE IF NOT EXISTS toolplane_migrations (id integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())",
  );
}

function refuse(shown: string, why: string): PlaneError {
  return new PlaneError("STORE_FAILED", `The store '${shown}' ${why}.`);
}
