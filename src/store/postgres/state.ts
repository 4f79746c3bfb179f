import type { Json } from "../../model/json.ts";
import {
  type StateLine,
  type StateRow,
  type StateStore,
  type StateTable,
  stateTables,
} from "../../model/state.ts";
import type { Connection } from "./connection.ts";
import { asText, type Query, type Row } from "./query.ts";

/** So many rows at a time, so that no state is too large. */
const batchRows = 500;
const tables = Object.keys(stateTables) as StateTable[];

export function createStateStore({
  read,
  write,
  readLong,
}: Pick<Connection, "read" | "write" | "readLong">): StateStore {
  return {
    countRows: (table) =>
      read(async (query) => Number((await query(`SELECT count(*) AS count FROM ${table}`)).rows[0]?.count)),
    readAll: () => readLong(selectAll),
    writeAll: (open) => write((query) => writeAll(query, open()), { lock: "journal" }),
  };
}

async function* selectAll(query: Query): AsyncGenerator<StateLine> {
  for (const table of tables) {
    await query(`DECLARE of_table CURSOR FOR SELECT * FROM ${table} ORDER BY ${stateTables[table].order}`);
    for (let rows = [{}] as Row[]; rows.length > 0; ) {
      ({ rows } = await query(`FETCH ${batchRows} FROM of_table`));
      for (const row of rows) yield { table, row: asState(table, row) };
    }
    await query("CLOSE of_table");
  }
}

async function writeAll(query: Query, lines: AsyncIterable<StateLine>): Promise<StateTable | null> {
  for (const table of tables)
    if ((await query(`SELECT 1 FROM ${table} LIMIT 1`)).rows.length > 0) return table;
  let batch: StateLine[] = [];
  const flush = async () => {
    const [first] = batch;
    const rows = batch.map(({ row }) => row);
    batch = [];
    if (first) await insertRows(query, first.table, rows);
  };
  for await (const line of lines) {
    if (batch.length >= batchRows || (batch[0] && batch[0].table !== line.table)) await flush();
    batch.push(line);
  }
  await flush();
  return null;
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

/** All of them in one text, which costs one journey. */
async function insertRows(query: Query, table: StateTable, rows: readonly StateRow[]): Promise<void> {
  const { rows: columns } = await query(
    `SELECT attname AS name, format_type(atttypid, null) AS type, attidentity <> '' AS is_identity
     FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
    [table],
  );
  const bytes = new Set(columns.filter(({ type }) => type === "bytea").map(({ name }) => name));
  const given = JSON.stringify(rows, (key, value) => {
    if (typeof value !== "string") return value;
    return bytes.has(key) ? `\\x${Buffer.from(value, "base64").toString("hex")}` : asText(value);
  });
  const sql = `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::${table}, $1)`;
  await query(sql, [given]);
  const identity = columns.find(({ is_identity: isIdentity }) => isIdentity === true);
  if (identity)
    await query(
      `SELECT setval(pg_get_serial_sequence($1, $2), (SELECT coalesce(max(${identity.name}), 1) FROM ${table}))`,
      [table, String(identity.name)],
    );
}
