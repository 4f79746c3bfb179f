import { compareText } from "@toolplane/core/lib/text/wording";
import type { Json } from "@toolplane/core/model/json";
import {
  openedTable,
  type StateLine,
  type StateRow,
  type StateStore,
  type StateTable,
  stateTables,
} from "@toolplane/core/model/store";
import type { Row } from "@toolplane/core/store";
import type { PostgresConnection } from "./connection.ts";
import { insertJson, type Query, storableText } from "./query.ts";

/** Limits of a batch, so that memory stays bounded. */
const batchRows = 500;
const batchCharacters = 4_000_000;
const tables = Object.keys(stateTables) as StateTable[];

type Column = { name: string; isBytes: boolean; isIdentity: boolean };

export function createPostgresStateStore({
  read,
  write,
  readLong,
}: PostgresConnection): StateStore {
  return {
    countRows: (table) =>
      read(async (query) =>
        Number((await query(`SELECT count(*) AS count FROM ${sourceOf(table)}`)).rows[0]?.count),
      ),
    stateColumns: async (table) =>
      (await read((query) => columnsOf(query, table))).map(({ name }) => name),
    readAll: () => readLong(selectAll),
    writeAll: (open) => write((query) => writeAll(query, open()), { lock: "journal" }),
  };
}

/** Of counts per minute each plane has its own, which no one else knows of. */
function sourceOf(table: StateTable): string {
  if (table !== "call_minutes") return table;
  return `(SELECT minute, user_name, status, took, sum(calls)::bigint AS calls FROM (
    SELECT minute, user_name, status, took, calls FROM call_minutes
    UNION ALL SELECT minute, user_name, status, took, calls FROM stream_minutes) AS every GROUP BY 1, 2, 3, 4) AS added`;
}

async function* selectAll(query: Query): AsyncGenerator<StateLine> {
  for (const table of tables) {
    await query(
      `DECLARE of_table CURSOR FOR SELECT * FROM ${sourceOf(table)} ORDER BY ${stateTables[table].order}`,
    );
    let batchSize = 1;
    for (let rows = [{}] as Row[]; rows.length > 0; ) {
      ({ rows } = await query(`FETCH ${batchSize} FROM of_table`));
      const lines = rows.map((row): StateLine => ({ table, row: toStateRow(table, row) }));
      yield* lines;
      batchSize = nextBatch(lines);
    }
    await query("CLOSE of_table");
  }
}

/** As many as fit if the next rows are like these; grows slowly. */
function nextBatch(lines: readonly StateLine[]): number {
  const size = lines.reduce((sum, { row }) => sum + sizeOf(row), 0);
  const fitting = Math.floor((batchCharacters * lines.length) / Math.max(1, size));
  return Math.max(1, Math.min(batchRows, fitting, 4 * lines.length));
}

function sizeOf(row: StateRow): number {
  return Object.values(row).reduce<number>(
    (sum, column) => sum + (typeof column === "string" ? column.length : 8),
    0,
  );
}

async function writeAll(query: Query, lines: AsyncIterable<StateLine>): Promise<StateTable | null> {
  for (const table of tables.filter((name) => name !== openedTable))
    if ((await query(`SELECT 1 FROM ${sourceOf(table)} LIMIT 1`)).rows.length > 0) return table;
  await query(`DELETE FROM ${openedTable}`);
  // Numbers and hashes are those of the export.
  await query("SELECT set_config('toolplane.writer', 'stream', true)");
  const columns = new Map<StateTable, Column[]>();
  for await (const { table, rows } of batchesOf(lines)) {
    const tableColumns = columns.get(table) ?? (await columnsOf(query, table));
    columns.set(table, tableColumns);
    await insertRows(query, table, tableColumns, rows);
  }
  for (const [table, tableColumns] of columns) await advanceIdentity(query, table, tableColumns);
  for (const sql of recounts) await query(sql);
  return null;
}

/** What follows from the imported calls and events: the ends of streams, what days hold, and the next number. */
const recounts = [
  `INSERT INTO streams AS known (id, sequence, hash)
     SELECT stream, sequence, hash FROM calls WHERE sequence IN (SELECT max(sequence) FROM calls GROUP BY stream)
     ON CONFLICT (id) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash`,
  "SELECT setval(pg_get_serial_sequence('streams', 'id'), (SELECT max(id) + 1 FROM streams))",
  `INSERT INTO stream_days (day, stream, calls, call_bytes)
     SELECT sequence >> 38, stream, count(*), sum(length(record) + 450) FROM calls WHERE sequence >> 38 > 0 GROUP BY 1, 2`,
  `INSERT INTO stream_days AS known (day, stream, events, event_bytes)
     SELECT id >> 38, 0, count(*), sum(length(record) + 450) FROM events WHERE id >> 38 > 0 GROUP BY 1
     ON CONFLICT (day, stream) DO UPDATE SET events = excluded.events, event_bytes = excluded.event_bytes`,
  // The day of a number is not counted on.
  `SELECT setval('record_numbers', 1 + (SELECT coalesce(max(number), 0) FROM (
     SELECT max(sequence & ((1::bigint << 38) - 1)) AS number FROM calls UNION ALL SELECT max(id & ((1::bigint << 38) - 1)) FROM events
     UNION ALL SELECT last_value FROM record_numbers) AS numbers))`,
] as const;

type Batch = { table: StateTable; rows: StateRow[] };

/** Batches of rows with the same table and columns. */
async function* batchesOf(lines: AsyncIterable<StateLine>): AsyncGenerator<Batch> {
  let batch: (Batch & { shape: string; size: number }) | null = null;
  for await (const { table, row } of lines) {
    const shape = [table, ...Object.keys(row)].join(" ");
    const isFull =
      batch !== null && (batch.rows.length >= batchRows || batch.size >= batchCharacters);
    if (batch !== null && (isFull || batch.shape !== shape)) {
      yield batch;
      batch = null;
    }
    batch ??= { table, rows: [], shape, size: 0 };
    batch.rows.push(row);
    batch.size += sizeOf(row);
  }
  if (batch !== null) yield batch;
}

/** pg returns bigint as text. */
const numberColumns = new Set(["sequence", "removed", "bytes", "minute", "calls", "number"]);
const numberedTables: ReadonlySet<StateTable> = new Set(["events", "changes"]);

function toStateRow(table: StateTable, row: Record<string, unknown>): StateRow {
  const pairs = Object.entries(row).map(([column, value]): [string, Json] => {
    if (value instanceof Uint8Array) return [column, Buffer.from(value).toString("base64")];
    const isNumber = numberColumns.has(column) || (column === "id" && numberedTables.has(table));
    return [column, isNumber ? Number(value) : (value as Json)];
  });
  return Object.fromEntries(pairs.sort(([a], [b]) => compareText(a, b)));
}

async function columnsOf(query: Query, table: StateTable): Promise<Column[]> {
  const { rows } = await query(
    `SELECT attname AS name, atttypid = 'bytea'::regtype AS is_bytes, attidentity <> '' AS is_identity
     FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
    [table],
  );
  return rows.map(({ name, is_bytes, is_identity }) => ({
    name: String(name),
    isBytes: is_bytes === true,
    isIdentity: is_identity === true,
  }));
}

/** One statement for all rows. Columns that an older export lacks get their default. */
async function insertRows(
  query: Query,
  table: StateTable,
  columns: readonly Column[],
  rows: readonly StateRow[],
): Promise<void> {
  const present = columns.filter(({ name }) => Object.hasOwn(rows[0] ?? {}, name));
  const bytes = new Set(present.filter(({ isBytes }) => isBytes).map(({ name }) => name));
  const text = JSON.stringify(rows, (key, value) => {
    if (typeof value !== "string") return value;
    return bytes.has(key)
      ? `\\x${Buffer.from(value, "base64").toString("hex")}`
      : storableText(value);
  });
  const names = present.map(({ name }) => name);
  await query(insertJson(table, names), [text]);
}

/** Identity columns continue after the imported rows. */
async function advanceIdentity(
  query: Query,
  table: StateTable,
  columns: readonly Column[],
): Promise<void> {
  const identity = columns.find(({ isIdentity }) => isIdentity);
  if (identity)
    await query(
      `SELECT setval(pg_get_serial_sequence($1, $2), (SELECT coalesce(max("${identity.name}"), 1) FROM ${table}))`,
      [table, identity.name],
    );
}
