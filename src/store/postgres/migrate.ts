import type { PoolClient } from "pg";
import { PlaneError } from "../../model/errors.ts";
import type { PostgresAddress } from "./connection.ts";
import { start } from "./migrations/001-start.ts";
import { callChain } from "./migrations/002-call-chain.ts";
import { jobs } from "./migrations/003-jobs.ts";
import { sharedValues } from "./migrations/004-shared-values.ts";
import { callMinutes } from "./migrations/005-call-minutes.ts";
import { lockKey } from "./notify.ts";

type Migration = { id: number; sql: string };
type State = { encoding: string; hasSchema: boolean; isOurs: boolean; isEmpty: boolean };

const allMigrations: readonly Migration[] = [start, callChain, jobs, sharedValues, callMinutes];

/** Brings the schema to the newest version. Forward only, all or nothing; several planes may try at once. */
export async function migrate(
  client: PoolClient,
  address: PostgresAddress,
  migrations = allMigrations,
): Promise<void> {
  // Looked at without a lock first: whoever may not create anything can still use what is there.
  if ((await pendingOf(client, address, migrations)).length === 0) return;
  try {
    // Waits for a plane that migrates, however long that takes.
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
  // Not IF NOT EXISTS: that asks for the right to create one even where there is one.
  if (!hasSchema) await client.query(`CREATE SCHEMA "${address.schema}"`);
  await client.query(
    "CREATE TABLE IF NOT EXISTS toolplane_migrations (id integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())",
  );
}

function refuse(shown: string, why: string): PlaneError {
  return new PlaneError("STORE_FAILED", `The store '${shown}' ${why}.`);
}
