import { compareText } from "../../lib/text/wording.ts";
import type { Json } from "../../model/json.ts";
import {
  openedTable,
  type StateLine,
  type StateRow,
  type StateStore,
  type StateTable,
  stateTables,
} from "../../model/store.ts";
import { query, type Row, selectNumber } from "../tables/database.ts";
import type { Prepare, SqliteConnection } from "./connection.ts";

/** Columns with another name in an export. */
const exportNames: Record<string, string> = { user: "user_name", body: "record", event: "record" };
const flagColumns = new Set(["ok", "is_open", "is_compressed"]);

/** The `body` of a result is its content, not its record. */
const nameOf = (table: StateTable, column: string) =>
  table === "results" && column === "body" ? "body" : (exportNames[column] ?? column);

const tables = Object.keys(stateTables) as StateTable[];

export function createSqliteStateStore({
  read,
  readLong,
  writeLong,
}: SqliteConnection): StateStore {
  return {
    countRows: (table) => read(() => selectNumber(`SELECT count(*) FROM ${table}`)),
    async stateColumns(table) {
      const { rows } = await read(() => query(columnsOf(table)));
      return rows.flatMap((row) => asColumn(table, row).exportedAs ?? []);
    },
    readAll: () => readLong(selectAll),
    writeAll: (open) => writeLong((prepare) => writeAll(prepare, open())),
  };
}

function* selectAll(prepare: Prepare): Iterable<StateLine> {
  for (const table of tables)
    for (const row of prepare(
      `SELECT * FROM ${table} ORDER BY ${stateTables[table].order}`,
    ).iterate())
      yield { table, row: toStateRow(table, row) };
}

async function writeAll(
  prepare: Prepare,
  lines: AsyncIterable<StateLine>,
): Promise<StateTable | null> {
  const filledTable = tables.find(
    (table) =>
      table !== openedTable && prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined,
  );
  if (filledTable !== undefined) return filledTable;
  prepare(`DELETE FROM ${openedTable}`).run();
  const inserts = new Map<string, (row: StateRow) => void>();
  for await (const { table, row } of lines) {
    // Columns that an older export lacks get their default.
    const shape = [table, ...Object.keys(row)].join(" ");
    const insert = inserts.get(shape) ?? createInsert(prepare, table, row);
    inserts.set(shape, insert);
    insert(row);
  }
  return null;
}

type Column = {
  name: string;
  isBytes: boolean;
  /** Null for a column that is not exported, because it is counted again. */
  exportedAs: string | null;
};

function columnsOf(table: StateTable): string {
  return `SELECT name, type FROM pragma_table_info('${table}')`;
}

function asColumn(table: StateTable, { name, type }: Row): Column {
  const exportedAs = table === "samples" && name === "number" ? null : nameOf(table, String(name));
  return { name: String(name), isBytes: type === "BLOB", exportedAs };
}

function toStateRow(table: StateTable, row: Record<string, unknown>): StateRow {
  const pairs = Object.entries(row).flatMap(([column, value]): [string, Json][] => {
    if (table === "samples" && column === "number") return [];
    if (value instanceof Uint8Array)
      return [[nameOf(table, column), Buffer.from(value).toString("base64")]];
    return [[nameOf(table, column), flagColumns.has(column) ? value === 1 : (value as Json)]];
  });
  return Object.fromEntries(pairs.sort(([a], [b]) => compareText(a, b)));
}

/** Inserts rows with the same columns as this one. */
function createInsert(
  prepare: Prepare,
  table: StateTable,
  sample: StateRow,
): (row: StateRow) => void {
  const columns = prepare(columnsOf(table))
    .all()
    .map((row) => asColumn(table, row))
    .filter(({ exportedAs }) => exportedAs === null || Object.hasOwn(sample, exportedAs));
  const placeholders = columns.map(() => "?").join(", ");
  const quoted = columns.map(({ name }) => `"${name}"`).join(", ");
  const insert = prepare(`INSERT INTO ${table} (${quoted}) VALUES (${placeholders})`);
  return (row) => {
    insert.run(
      ...columns.map(({ exportedAs, isBytes }) => {
        if (exportedAs === null) return nextNumber(prepare, String(row.subject));
        const value = row[exportedAs] ?? null;
        if (isBytes) return Buffer.from(String(value), "base64");
        return typeof value === "boolean" ? Number(value) : (value as string | number | null);
      }),
    );
  };
}

function nextNumber(prepare: Prepare, subject: string): number {
  const row = prepare(
    "SELECT coalesce(max(number), 0) + 1 AS next FROM samples WHERE subject = ?",
  ).get(subject);
  return Number(row?.next);
}
