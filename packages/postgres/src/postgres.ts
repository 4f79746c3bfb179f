import { once } from "@toolplane/core/lib/async/once";
import { uniqueId } from "@toolplane/core/lib/ids-and-time";
import {
  lastUnnotedVersion,
  type Migration,
  newestOf,
  pendingFrom,
} from "@toolplane/core/lib/migrations";
import { version as ownVersion } from "@toolplane/core/lib/version";
import type { ChainHead } from "@toolplane/core/model/calls/call-history";
import type { RecordSealer, StoreParts } from "@toolplane/core/model/config/settings";
import { PlaneError } from "@toolplane/core/model/errors";
import type { PostgresAddress } from "@toolplane/core/model/packages";
import type { Store } from "@toolplane/core/model/store";
import { type Database, loadTables } from "@toolplane/core/store";
import type { PoolClient } from "pg";
import { createStreamAppend } from "./append.ts";
import { createPostgresConnection, type PostgresConnection } from "./connection.ts";
import { createPostgresDueWork } from "./due-work.ts";
import { postgresMigrations } from "./migrations.ts";
import { createListener, lockKey, send } from "./notifications.ts";
import { createMessageQueue, type MessageQueue } from "./pg-boss.ts";
import { checkClock, checkDisk } from "./pool.ts";
import { follow, insertJson, query, storableText } from "./query.ts";
import { createRecordWatch } from "./record-watch.ts";
import { createPostgresStateStore } from "./state.ts";
import { isConnectionLost } from "./store-failure.ts";

/** A store that several planes share. Opens also while the server is unreachable, and works once it is back. */
export async function openPostgresStore(
  address: PostgresAddress,
  { durability = "power", sealer = null }: Partial<StoreParts> = {},
): Promise<Store> {
  const instance = uniqueId();
  const loaded = await loadTables();
  const setUp = async (client: PoolClient, scope: string) => {
    await migrate(client, address, scope);
    await noteVersion(client, address, ownVersion);
    await makeDays(client, scope);
    await checkClock(client);
    if (durability !== "process") await checkDisk(client);
  };
  const connection = await createPostgresConnection(address, instance, durability, setUp);
  const tell = (payload: string) => connection.change((query) => send(query, address, payload));
  const listener = createListener({ address, instance, tell });
  const messages = createMessageQueue();
  const due = createPostgresDueWork({ connection, address, listener, messages, sealer });
  const tables = loaded.createTables(createDatabase(connection, address, messages, sealer));
  const stream = createStreamAppend({
    connection,
    schema: address.schema,
    instance,
    tables: loaded,
    stored: tables,
  });
  const records = createRecordWatch(tables.lastEventId);
  const dayTimer = setInterval(() => {
    // Tried again an hour later; rows of a day without a table are stored all the same.
    void connection.change((query) => query(newDays)).catch(() => undefined);
  }, hourMs).unref();
  return {
    ...tables,
    append: loaded.createIdempotentAppend({ ...tables, append: stream.append }, isConnectionLost),
    findLoss: async (chain, head) =>
      (await isOfOlderPlane(connection, chain, head)) ? null : tables.findLoss(chain, head),
    dueWork: () => due.open(),
    ...createPostgresStateStore(connection),
    // A commit is on its disk, as `synchronous_commit` says.
    sync: async () => undefined,
    // The server looks after its files.
    examine: async () => undefined,
    trouble: connection.trouble,
    onTrouble: connection.onTrouble,
    watch: listener.on,
    watchRecords: records.on,
    isInformed: listener.isInformed,
    alone: connection.alone,
    close: once(async () => {
      clearInterval(dayTimer);
      records.close();
      await Promise.all([due.close(), stream.release()]);
      await Promise.all([listener.close(), connection.close()]);
    }),
  };
}

function createDatabase(
  { read, write, change }: PostgresConnection,
  { schema }: PostgresAddress,
  messages: MessageQueue,
  sealer: RecordSealer | null,
): Database {
  return {
    sealer,
    bytes: storeBytes,
    read: (work) => read((query) => follow(work(), query)),
    write(work, { lock, isShared, notify, due, isSingle } = {}) {
      if (isSingle) return change((query) => follow(work(), query));
      return write(
        async (query) => {
          const value = await follow(work(), query);
          if (due) await messages.put(query, due(value));
          return value;
        },
        { lock, isShared, notify: notify?.what === "dueWork" ? messages.notification() : notify },
      );
    },
    recordOf: () => "record",
    isOneOf: (column) => `${column} = ANY (?)`,
    recordNumber: (...path) => `(record::json #>> '{${path.join(",")}}')::float8`,
    // The server's clock, because the clocks of several machines differ.
    now: { sql: "(extract(epoch FROM clock_timestamp()) * 1000)::float8", values: () => [] },
    streamEnds: "SELECT id AS stream, sequence, hash FROM streams WHERE sequence > 0",
    minutes: `(SELECT minute, user_name, status, took, calls FROM call_minutes
      UNION ALL SELECT minute, user_name, status, took, calls FROM stream_minutes) AS counted`,
    days,
    asStored: storableText,
    unlocked: "FOR UPDATE SKIP LOCKED",
    *lockValue(key) {
      // As a value, not with `lockKey`: a key may hold any character.
      const name = `toolplane/${schema}/shared ${key}`;
      yield* query("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", [name]);
    },
    *insertRows(table, rows, onConflict) {
      const text = JSON.stringify(rows, (_, value) =>
        typeof value === "string" ? storableText(value) : value,
      );
      yield* query(insertJson(table, Object.keys(rows[0] ?? {}), onConflict), [text]);
    },
  };
}

/** Of the tables of this schema, with their indexes. */
const storeBytes = `SELECT coalesce(sum(pg_total_relation_size(pg_class.oid)), 0)::float8 AS bytes FROM pg_class
  WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'`;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** As `stream-tables.ts` has it. */
const numbersOfDay = 2 ** 38;
const days: NonNullable<Database["days"]> = {
  *settled() {
    return Number((yield* query("SELECT last_settled() AS number")).rows[0]?.number);
  },
  *drop(table, before) {
    const day = Math.floor(Date.parse(before) / dayMs);
    return Number(
      (yield* query("SELECT drop_day(?, ?) AS removed", [table, day])).rows[0]?.removed,
    );
  },
  recent(number) {
    const day = number === undefined ? Date.now() / dayMs : number / numbersOfDay;
    return Math.max(0, Math.floor(day) - 1) * numbersOfDay;
  },
  *free() {
    return (yield* query("SELECT drop_removed() AS removed")).rows[0]?.removed != null;
  },
  *counted(table) {
    const [count, bytes] = table === "calls" ? ["calls", "call_bytes"] : ["events", "event_bytes"];
    const sums = `SELECT coalesce(sum(${count}), 0) AS count, coalesce(sum(${bytes}), 0) AS bytes FROM stream_days`;
    const [row] = (yield* query(sums)).rows;
    return { count: Number(row?.count), bytes: Number(row?.bytes) };
  },
};

/** Tables for the days to come, so that no call waits for one. */
const newDays = "SELECT make_days(1)";

/** Where it cannot be done now, rows of a day without a table are stored all the same. */
async function makeDays(client: PoolClient, scope: string): Promise<void> {
  await client.query(`${scope}${newDays}`).catch(() => undefined);
}

/**
 * Version 0.2 beside this one notes other numbers and hashes than its calls have. They are there where the newest of its
 * stream is not older.
 */
async function isOfOlderPlane(
  { read }: PostgresConnection,
  chain: string,
  head: ChainHead,
): Promise<boolean> {
  if (chain !== "calls" || head.stream !== undefined) return false;
  const newest =
    "SELECT at FROM calls WHERE sequence = (SELECT sequence FROM streams WHERE id = 0)";
  const { rows } = await read((query) => query(newest));
  return rows.length > 0 && String(rows[0]?.at) >= head.at;
}

type State = {
  encoding: string;
  hasSchema: boolean;
  isOurs: boolean;
  isEmpty: boolean;
  hasVersions: boolean;
};

/** Brings the schema to the newest version. Forward only, all or nothing; several planes may try at once. */
async function migrate(client: PoolClient, address: PostgresAddress, scope: string): Promise<void> {
  // First without a lock: a user without the right to create can use a current schema.
  if ((await pendingOf(client, address)).length === 0) return;
  try {
    // Waits for another plane that migrates, without a timeout.
    await client.query(
      `BEGIN; ${scope}SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0`,
    );
    await client.query(`SELECT pg_advisory_xact_lock(${lockKey(address, "migrate")})`);
    const pending = await pendingOf(client, address);
    const { isOurs: isOld, hasVersions } = await stateOf(client, address);
    if (pending.length > 0) await prepareSchema(client, address);
    for (const { id, sql } of pending) {
      await client.query(sql);
      await client.query("INSERT INTO toolplane_migrations (id) VALUES ($1)", [id]);
    }
    const firstMigration = `(SELECT min(at) FROM "${address.schema}".toolplane_migrations)`;
    if (isOld && !hasVersions)
      await noteVersion(client, address, lastUnnotedVersion, firstMigration);
    await client.query("COMMIT");
  } catch (thrown) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw thrown;
  }
}

async function pendingOf(client: PoolClient, address: PostgresAddress): Promise<Migration[]> {
  const state = await stateOf(client, address);
  const { shown, schema } = address;
  if (state.encoding !== "UTF8")
    throw refuse(
      shown,
      `has the encoding ${state.encoding}. Create a database with ENCODING 'UTF8'`,
    );
  if (!state.isOurs && !state.isEmpty)
    throw refuse(
      shown,
      `has tables of another program in its schema '${schema}'. Name another one with '?schema='`,
    );
  const version = state.isOurs ? await versionOf(client, schema) : 0;
  const newest = newestOf(postgresMigrations);
  if (version > newest)
    throw refuse(
      shown,
      `was written by a newer version: it has format ${version}, and this version knows ${newest}. Update this installation, or name another schema`,
    );
  return pendingFrom(version, postgresMigrations);
}

async function stateOf(client: PoolClient, { schema }: PostgresAddress): Promise<State> {
  const { rows } = await client.query<State>(
    `SELECT current_setting('server_encoding') AS encoding,
            EXISTS (SELECT FROM pg_namespace WHERE nspname = $1) AS "hasSchema",
            EXISTS (SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = 'toolplane_migrations') AS "isOurs",
            EXISTS (SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = 'store_versions') AS "hasVersions",
            NOT EXISTS (SELECT FROM pg_tables WHERE schemaname = $1) AS "isEmpty"`,
    [schema],
  );
  return rows[0] as State;
}

async function versionOf(client: PoolClient, schema: string): Promise<number> {
  const { rows } = await client.query(
    `SELECT coalesce(max(id), 0) AS version FROM "${schema}".toolplane_migrations`,
  );
  return Number(rows[0]?.version);
}

/**
 * Reads first: a user without the right to write can open a current schema. A pooled session has no search path, so the
 * table is named with its schema.
 */
async function noteVersion(
  client: PoolClient,
  { schema }: PostgresAddress,
  version: string,
  since = "now()",
): Promise<void> {
  const table = `"${schema}".store_versions`;
  const versions = await client.query(`SELECT 1 FROM ${table} WHERE version = $1`, [version]);
  if (versions.rows.length > 0) return;
  const moment = `to_char(${since} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  await client.query(
    `INSERT INTO ${table} (version, since) VALUES ($1, ${moment}) ON CONFLICT DO NOTHING`,
    [version],
  );
}

async function prepareSchema(client: PoolClient, address: PostgresAddress): Promise<void> {
  const { hasSchema } = await stateOf(client, address);
  // IF NOT EXISTS would need the right to create a schema even where it exists.
  if (!hasSchema) await client.query(`CREATE SCHEMA "${address.schema}"`);
  await client.query(
    "CREATE TABLE IF NOT EXISTS toolplane_migrations (id integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())",
  );
}

function refuse(shown: string, problem: string): PlaneError {
  return new PlaneError("STORE_FAILED", `The store '${shown}' ${problem}.`);
}
