import type { Json } from "../../model/json.ts";
import {
  type StateLine,
  type StateRow,
  type StateStore,
  type StateTable,
  stateTables,
} from "../../model/state.ts";
import type { Connection, Prepare } from "./connection.ts";

type Work = Pick<Connection, "read" | "readLong" | "writeLong">;

/** Columns that are called otherwise in an export, and those that only count what is there. */
const names: Record<string, string> = { user: "user_name", body: "record", event: "record" };
const flags = new Set(["ok", "is_open", "is_compressed"]);

/** The contents of a large result are bytes under the name that others have for their record. */
const nameOf = (table: StateTable, column: string) =>
  table === "results" && column === "body" ? "body" : (names[column] ?? column);

const tables = Object.keys(stateTables) as StateTable[];

export function createStateStore({ read, readLong, writeLong }: Work): StateStore {
  return {
    countRows: (table) => read((prepare) => count(prepare, table)),
    stateColumns: (table) => read((prepare) => columnsOf(prepare, table).flatMap(({ said }) => said ?? [])),
    readAll: () => readLong(selectAll),
    writeAll: (open) => writeLong((prepare) => writeAll(prepare, open())),
  };
}

function* selectAll(prepare: Prepare): Iterable<StateLine> {
  for (const table of tables)
    for (const row of prepare(`SELECT * FROM ${table} ORDER BY ${stateTables[table].order}`).iterate())
      yield { table, row: asState(table, row) };
}

async function writeAll(prepare: Prepare, lines: AsyncIterable<StateLine>): Promise<StateTable | null> {
  const taken = tables.find((table) => count(prepare, table) > 0);
  if (taken !== undefined) return taken;
  const inserts = new Map<string, (row: StateRow) => void>();
  for await (const { table, row } of lines) {
    // What an older export does not have is as it is where nobody says anything.
    const shape = [table, ...Object.keys(row)].join(" ");
    const insert = inserts.get(shape) ?? inserting(prepare, table, row);
    inserts.set(shape, insert);
    insert(row);
  }
  return null;
}

function count(prepare: Prepare, table: StateTable): number {
  return Number(prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count);
}

type Column = {
  name: string;
  isBytes: boolean /** Null where it only counts what is there. */;
  said: string | null;
};

function columnsOf(prepare: Prepare, table: StateTable): Column[] {
  return prepare(`SELECT name, type FROM pragma_table_info('${table}')`)
    .all()
    .map(({ name, type }) => ({
      name: String(name),
      isBytes: type === "BLOB",
      said: table === "samples" && name === "number" ? null : nameOf(table, String(name)),
    }));
}

function asState(table: StateTable, row: Record<string, unknown>): StateRow {
  const pairs = Object.entries(row).flatMap(([column, value]): [string, Json][] => {
    if (table === "samples" && column === "number") return [];
    if (value instanceof Uint8Array) return [[nameOf(table, column), Buffer.from(value).toString("base64")]];
    return [[nameOf(table, column), flags.has(column) ? value === 1 : (value as Json)]];
  });
  return Object.fromEntries(pairs.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** For rows that have what this one has. */
function inserting(prepare: Prepare, table: StateTable, like: StateRow): (row: StateRow) => void {
  const columns = columnsOf(prepare, table).filter(({ said }) => said === null || Object.hasOwn(like, said));
  const places = columns.map(() => "?").join(", ");
  const quoted = columns.map(({ name }) => `"${name}"`).join(", ");
  const insert = prepare(`INSERT INTO ${table} (${quoted}) VALUES (${places})`);
  return (row) => {
    insert.run(
      ...columns.map(({ said, isBytes }) => {
        if (said === null) return nextNumber(prepare, String(row.subject));
        const value = row[said] ?? null;
        if (isBytes) return Buffer.from(String(value), "base64");
        return typeof value === "boolean" ? Number(value) : (value as string | number | null);
      }),
    );
  };
}

/** Samples are counted within their subject. */
function nextNumber(prepare: Prepare, subject: string): number {
  const row = prepare("SELECT coalesce(max(number), 0) + 1 AS next FROM samples WHERE subject = ?").get(
    subject,
  );
  return Number(row?.next);
}
