import type { Json } from "../../model/json.ts";
import { type StateRow, type StateStore, type StateTable, stateTables } from "../../model/state.ts";
import type { Connection } from "./connection.ts";
import type { Query } from "./query.ts";

export function createStateStore({ read, write }: Pick<Connection, "read" | "write">): StateStore {
  return {
    countRows: (table) =>
      read(async (query) => Number((await query(`SELECT count(*) AS count FROM ${table}`)).rows[0]?.count)),
    readRows: (table, offset, limit) =>
      read(async (query) => {
        const { order } = stateTables[table];
        const sql = `SELECT * FROM ${table} ORDER BY ${order} LIMIT $1 OFFSET $2`;
        return (await query(sql, [limit, offset])).rows.map((row) => asState(table, row));
      }),
    writeRows: (table, rows) => write((query) => insertRows(query, table, rows), { lock: "journal" }),
  };
}

/** Large numbers come as texts. The ids of some tables are numbers. */
const numbers = new Set(["sequence", "removed", "bytes"]);
const numbered: ReadonlySet<StateTable> = new Set(["events", "changes"]);

function asState(table: StateTable, row: Record<string, unknown>): StateRow {
  const pairs = Object.entries(row).map(([column, value]): [string, Json] => {
    if (value instanceof Uint8Array) return [column, Buffer.from(value).toString("base64")];
    const isNumber = numbers.has(column) || (column === "id" && numbered.has(table));
    return [column, isNumber ? Number(value) : (value as Json)];
  });
  return Object.fromEntries(pairs.sort(([one], [other]) => (one < other ? -1 : 1)));
}

async function insertRows(query: Query, table: StateTable, rows: readonly StateRow[]): Promise<void> {
  const { rows: columns } = await query(
    `SELECT attname AS name, format_type(atttypid, null) AS type, attidentity <> '' AS is_identity
     FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [table],
  );
  const names = columns.map(({ name }) => String(name));
  const places = columns.map(({ type }, at) => castOf(type, at)).join(", ");
  const sql = `INSERT INTO ${table} (${names.join(", ")}) OVERRIDING SYSTEM VALUE VALUES (${places})`;
  for (const row of rows)
    await query(sql, names.map((name) => row[name] ?? null) as (string | number | boolean | null)[]);
  const identity = columns.find(({ is_identity: isIdentity }) => isIdentity === true);
  if (identity)
    await query(
      `SELECT setval(pg_get_serial_sequence($1, $2), (SELECT coalesce(max(${identity.name}), 1) FROM ${table}))`,
      [table, String(identity.name)],
    );
}

function castOf(type: unknown, at: number): string {
  return type === "bytea" ? `decode($${at + 1}, 'base64')` : `$${at + 1}`;
}
