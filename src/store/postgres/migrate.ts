import type { PoolClient } from "pg";
import { PlaneError } from "../../model/errors.ts";
import { postgresMigrations } from "../migrations/postgres-migrations.ts";
import type { Migration } from "../migrations/sqlite-migrations.ts";
import { lockKey } from "./notifications.ts";
import type { PostgresAddress } from "./pool.ts";

type State = { encoding: string; hasSchema: boolean; isOurs: boolean; isEmpty: boolean };

/** Brings the schema to the newest version. Forward only, all or nothing; several planes may try at once. */
export async function migrate(
  client: PoolClient,
  address: PostgresAddress,
  migrations = postgresMigrations,
): Promise<void> {
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
    throw refuse(
      shown,
      `has tables of another program in its schema '${schema}'. Name another one with '?schema='`,
    );
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
