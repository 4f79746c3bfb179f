import { once } from "../lib/once.ts";
import { uniqueId } from "../lib/unique-id.ts";
import type { JsonObject } from "../model/json.ts";
import type { SharedStep, SharedValues } from "../model/shared-values.ts";
import type { Store } from "../model/store.ts";
import { createCallTable } from "./postgres/calls.ts";
import { createCatalogueTables, createPinTable } from "./postgres/catalogue.ts";
import { type Connection, createConnection } from "./postgres/connection.ts";
import { createCredentialTables } from "./postgres/credentials.ts";
import { createDeadLetterTable } from "./postgres/dead-letters.ts";
import { createDueWork } from "./postgres/due-work.ts";
import { createHeldCallTable, createPlanTable } from "./postgres/held-calls.ts";
import { createJobStore } from "./postgres/jobs.ts";
import { migrate } from "./postgres/migrate.ts";
import { createListener } from "./postgres/notifications.ts";
import { createMessages } from "./postgres/pg-boss.ts";
import { checkClock, type PostgresAddress } from "./postgres/pool.ts";
import type { Query } from "./postgres/query.ts";
import { createJournalTables, createResultTable } from "./postgres/records.ts";
import { createStateStore } from "./postgres/state.ts";

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
    forgetShared: () =>
      write(async (query) => (await query(`DELETE FROM shared_values WHERE until <= ${now}`)).count),
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
