import type { PoolClient } from "pg";
import { once } from "../../../src/lib/async/once.ts";
import { uniqueId } from "../../../src/lib/ids-and-time.ts";
import { type DatabaseSchema, newestOf, type Pending, pendingFrom } from "../../../src/lib/migrations.ts";
import { healthWindow } from "../../../src/model/catalogue/health.ts";
import { PlaneError } from "../../../src/model/errors.ts";
import type { PostgresAddress } from "../../../src/model/packages.ts";
import type { Store } from "../../../src/model/store.ts";
import { type Database, loadTables } from "../../../src/store/store.ts";
import { createPostgresConnection, type PostgresConnection } from "./connection.ts";
import { createPostgresDueWork } from "./due-work.ts";
import { postgresSchema } from "./migrations.ts";
import { createListener, lockKey } from "./notifications.ts";
import { createMessageQueue, type MessageQueue } from "./pg-boss.ts";
import { checkClock } from "./pool.ts";
import { follow, insertJson, query, storableText } from "./query.ts";
import { createPostgresStateStore } from "./state.ts";
import { isConnectionLost } from "./store-failure.ts";

/** A store that several planes share. Opens also while the server is unreachable, and works once it is back. */
export async function openPostgresStore(address: PostgresAddress): Promise<Store> {
  const instance = uniqueId();
  const { createTables, createIdempotentAppend } = await loadTables();
  const connection = await createPostgresConnection(address, instance, async (client) => {
    await migrate(client, address);
    await checkClock(client);
  });
  const listener = createListener(address, instance);
  const messages = createMessageQueue();
  const due = createPostgresDueWork({ connection, address, listener, messages });
  const tables = createTables(createDatabase(connection, address, messages));
  return {
    ...tables,
    append: createIdempotentAppend(tables, isConnectionLost),
    dueWork: () => due.open(),
    ...createPostgresStateStore(connection),
    // The server looks after its files.
    examine: async () => undefined,
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

function createDatabase(
  { read, write, change }: PostgresConnection,
  { schema }: PostgresAddress,
  messages: MessageQueue,
): Database {
  return {
    read: (work) => read((query) => follow(work(), query)),
    write(work, { lock, notify, due, isSingle } = {}) {
      if (isSingle) return change((query) => follow(work(), query));
      return write(
        async (query) => {
          const value = await follow(work(), query);
          if (due) await messages.put(query, due(value));
          return value;
        },
        { lock, notify: notify?.what === "dueWork" ? messages.notification() : notify },
      );
    },
    recordOf: () => "record",
    isOneOf: (column) => `${column} = ANY (?)`,
    // The server's clock, because the clocks of several machines differ.
    now: { sql: "(extract(epoch FROM clock_timestamp()) * 1000)::float8", values: () => [] },
    streamEnds: "SELECT stream, sequence, hash FROM calls ORDER BY sequence DESC LIMIT 1",
    asStored: storableText,
    *lockValue(key) {
      // As a value, not with `lockKey`: a key may hold any character.
      const name = `toolplane/${schema}/shared ${key}`;
      yield* query("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", [name]);
    },
    *insertRows(table, rows, onConflict) {
      const text = JSON.stringify(rows, (_, value) => (typeof value === "string" ? storableText(value) : value));
      yield* query(insertJson(table, Object.keys(rows[0] ?? {}), onConflict), [text]);
    },
    *insertSamples(samples) {
      yield* this.insertRows(
        "samples",
        samples.map(({ subject, at, ok, latencyMs }) => ({ subject, at, ok, latency_ms: latencyMs })),
      );
      yield* query(
        `DELETE FROM samples USING unnest(?::text[]) AS touched (subject), LATERAL (
           SELECT sequence FROM samples AS one WHERE one.subject = touched.subject
           ORDER BY sequence DESC OFFSET ? LIMIT 1
         ) AS edge
         WHERE samples.subject = touched.subject AND samples.sequence <= edge.sequence`,
        [[...new Set(samples.map(({ subject }) => subject))], healthWindow],
      );
    },
  };
}

type State = { encoding: string; hasSchema: boolean; isOurs: boolean; isEmpty: boolean };

/** Brings the schema to the newest version. Forward only, all or nothing; several planes may try at once. */
async function migrate(client: PoolClient, address: PostgresAddress, schema = postgresSchema): Promise<void> {
  // First without a lock: a user without the right to create can use a current schema.
  if ((await pendingOf(client, address, schema)).length === 0) return;
  try {
    // Waits for another plane that migrates, without a timeout.
    await client.query("BEGIN; SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0");
    await client.query(`SELECT pg_advisory_xact_lock(${lockKey(address, "migrate")})`);
    const pending = await pendingOf(client, address, schema);
    if (pending.length > 0) await prepareSchema(client, address);
    for (const { sql, ids } of pending) {
      await client.query(sql);
      await client.query("INSERT INTO toolplane_migrations (id) SELECT unnest($1::integer[])", [ids]);
    }
    await client.query("COMMIT");
  } catch (thrown) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw thrown;
  }
}

async function pendingOf(client: PoolClient, address: PostgresAddress, known: DatabaseSchema): Promise<Pending[]> {
  const state = await stateOf(client, address);
  const { shown, schema } = address;
  if (state.encoding !== "UTF8")
    throw refuse(shown, `has the encoding ${state.encoding}. Create a database with ENCODING 'UTF8'`);
  if (!state.isOurs && !state.isEmpty)
    throw refuse(shown, `has tables of another program in its schema '${schema}'. Name another one with '?schema='`);
  const version = state.isOurs ? await versionOf(client) : 0;
  const newest = newestOf(known);
  if (version > newest)
    throw refuse(
      shown,
      `was written by a newer version: it has format ${version}, and this version knows ${newest}. Update this installation, or name another schema`,
    );
  return pendingFrom(version, known);
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
