import type { Json } from "../../model/json.ts";
import { type StateRow, type StateStore, type StateTable, stateTables } from "../../model/state.ts";
import type { Prepare } from "./connection.ts";

type Work = {
  read<T>(work: (prepare: Prepare) => T): Promise<T>;
  write<T>(work: (prepare: Prepare) => T): Promise<T>;
};

/** Columns that are called otherwise in an export, and those that only count what is there. */
const names: Record<string, string> = { user: "user_name", body: "record", event: "record" };
const flags = new Set(["ok", "is_open", "is_compressed"]);

/** The contents of a large result are bytes under the name that others have for their record. */
const nameOf = (table: StateTable, column: string) =>
  table === "results" && column === "body" ? "body" : (names[column] ?? column);

export function createStateStore({ read, write }: Work): StateStore {
  return {
    countRows: (table) =>
      read((prepare) => Number(prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count)),
    readRows: (table, offset, limit) =>
      read((prepare) =>
        prepare(`SELECT * FROM ${table} ORDER BY ${stateTables[table].order} LIMIT ? OFFSET ?`)
          .all(limit, offset)
          .map((row) => asState(table, row)),
      ),
    writeRows: (table, rows) => write((prepare) => insertRows(prepare, table, rows)),
  };
}

function asState(table: StateTable, row: Record<string, unknown>): StateRow {
  const pairs = Object.entries(row).flatMap(([column, value]): [string, Json][] => {
    if (table === "samples" && column === "number") return [];
    if (value instanceof Uint8Array) return [[nameOf(table, column), Buffer.from(value).toString("base64")]];
    return [[nameOf(table, column), flags.has(column) ? value === 1 : (value as Json)]];
  });
  return Object.fromEntries(pairs.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function insertRows(prepare: Prepare, table: StateTable, rows: readonly StateRow[]): void {
  const columns = prepare(`SELECT name, type FROM pragma_table_info('${table}')`)
    .all()
    .map(({ name, type }) => ({ name: String(name), isBytes: type === "BLOB" }));
  const places = columns.map(() => "?").join(", ");
  const quoted = columns.map(({ name }) => `"${name}"`).join(", ");
  const insert = prepare(`INSERT INTO ${table} (${quoted}) VALUES (${places})`);
  for (const row of rows)
    insert.run(
      ...columns.map(({ name, isBytes }) => {
        if (table === "samples" && name === "number") return nextNumber(prepare, String(row.subject));
        const value = row[nameOf(table, name)] ?? null;
        if (isBytes) return Buffer.from(String(value), "base64");
        return typeof value === "boolean" ? Number(value) : (value as string | number | null);
      }),
    );
}

/** Samples are counted within their subject. */
function nextNumber(prepare: Prepare, subject: string): number {
  const row = prepare("SELECT coalesce(max(number), 0) + 1 AS next FROM samples WHERE subject = ?").get(
    subject,
  );
  return Number(row?.next);
}
