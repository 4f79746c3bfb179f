import type { JsonObject } from "../../model/json.ts";
import type { SharedStep, SharedValues } from "../../model/shared-values.ts";
import type { Connection, PostgresAddress } from "./connection.ts";
import type { Query } from "./query.ts";

/** One clock for all planes: those of several machines never agree. */
const now = "(extract(epoch FROM clock_timestamp()) * 1000)::float8";

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
  schema: string,
  key: string,
  keptMs: number,
  step: SharedStep<T>,
): Promise<T> {
  // A statement of its own: what is read after it is what the one before has written.
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

export function createSharedValues(
  { read, write }: Pick<Connection, "read" | "write">,
  { schema }: Pick<PostgresAddress, "schema">,
): SharedValues {
  return {
    sharedValue: async (key) => (await read((query) => selectShared(query, key))).value,
    changeShared: (key, keptMs, step, tells = false) =>
      write(
        (query) => changeShared(query, schema, key, keptMs, step),
        tells ? { news: { what: "shared", key } } : {},
      ),
    sharedKeys: (keys) =>
      read(async (query) => {
        const { rows } = await query(
          `SELECT key FROM shared_values WHERE key = ANY($1::text[]) AND until > ${now} ORDER BY key`,
          [keys],
        );
        return rows.map(({ key }) => String(key));
      }),
    forgetShared: () =>
      write(async (query) => (await query(`DELETE FROM shared_values WHERE until <= ${now}`)).count),
  };
}
