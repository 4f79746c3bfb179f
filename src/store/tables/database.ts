import type { RecordSealer } from "../../model/config/settings.ts";
import type { StoreNews } from "../../model/store.ts";
import type { KeptDeadLetter } from "../../model/work/dead-letter.ts";
import type { KeptJobRun } from "../../model/work/job-run.ts";

export type Row = { [column: string]: unknown };
export type SqlValue =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | readonly (string | number | null)[];
export type Columns = { [name: string]: SqlValue };
export type QueryResult = { rows: Row[]; count: number };

/** Its values stand where the text has `?`. */
type Statement = { sql: string; values: readonly SqlValue[] };

/**
 * Statements that build on each other. Not async: SQLite runs a transaction within one turn, because a second connection
 * of the same process would block that turn until its lock timeout.
 */
export type Work<T> = Generator<Statement, T, QueryResult>;

export type DueRecords = { runs?: readonly KeptJobRun[]; letters?: readonly KeptDeadLetter[] };

/** For a store that several planes share. */
export type WriteOptions<T> = {
  /** Writers under the same lock wait for each other: what one reads before it writes stays true. */
  lock?: string;
  /** They wait only for those that do not share the lock. */
  isShared?: boolean;
  /** Sent to the other planes with the commit. */
  notify?: StoreNews;
  /** Records whose time is announced to the planes that do due work. */
  due?(value: T): DueRecords;
  /** One statement is a transaction by itself. */
  isSingle?: boolean;
  /** After a power cut it may be missing, or the caller waits for the disk with `sync`. */
  survives?: "process";
};

/** What the queries of all tables need of SQLite or Postgres. */
export type Database = {
  /** Null where the planes on the store have no key in common. */
  sealer: RecordSealer | null;
  /** Selects what the whole store takes on its disk. */
  bytes: string;
  read<T>(work: () => Work<T>): Promise<T>;
  /** In one transaction; may be repeated. */
  write<T>(work: () => Work<T>, options?: WriteOptions<T>): Promise<T>;
  /** The column of the record in this table. */
  recordOf(table: "known_servers" | "entries" | "changes" | "events"): string;
  /** The condition for a column that has one of the values in an array. */
  isOneOf(column: string): string;
  /** A number in the record of a row, by its path; none where it has none. */
  recordNumber(...path: readonly string[]): string;
  /** The store's time in milliseconds. */
  now: { sql: string; values(): number[] };
  /** Selects the newest record of each stream of calls: stream, sequence, hash. */
  streamEnds: string;
  /** Counts of calls per minute, as a table. */
  minutes: string;
  /** Where several planes write at once, and calls and events have a table for each day. */
  days?: {
    /** The number up to which every record is there: others may be committed later. */
    settled(): Work<number>;
    /** Sets the oldest whole day before this moment apart, and no one finds it any more; how many rows that were. */
    drop(table: "calls" | "events", before: string): Work<number>;
    /** Gives the space of one such day back, which no one waits for; false where there is none. */
    free(): Work<boolean>;
    /** The first number of yesterday, or of the day before that of this number. */
    recent(before?: number): number;
    /** What the days hold. */
    counted(table: "calls" | "events"): Work<{ count: number; bytes: number }>;
  };
  /** What it makes of a text in a column. */
  asStored(text: string): string;
  /** Ends a selection of rows that are to be removed, without those that another plane removes. */
  unlocked: string;
  /** Until the end of the transaction. */
  lockValue(key: string): Work<void>;
  /** Rows with the same columns, in order. */
  insertRows(table: string, rows: readonly Columns[], onConflict?: string): Work<void>;
};

/** Of the days that were set apart, also by a plane that was killed then: one statement each. */
export async function freeDropped({
  write,
  days,
}: Pick<Database, "write" | "days">): Promise<void> {
  while (days && (await write(() => days.free(), { isSingle: true })));
}

export function* query(sql: string, values: readonly SqlValue[] = []): Work<QueryResult> {
  return yield { sql, values };
}

export function* selectRows<T>(
  parse: (row: Row) => T,
  sql: string,
  values?: readonly SqlValue[],
): Work<T[]> {
  return (yield* query(sql, values)).rows.map((row) => parse(row));
}

export function* selectFirst<T>(
  parse: (row: Row) => T,
  sql: string,
  values?: readonly SqlValue[],
): Work<T | null> {
  const [row] = (yield* query(sql, values)).rows;
  return row ? parse(row) : null;
}

/** The first column of the first row as a number. */
export function* selectNumber(sql: string, values?: readonly SqlValue[]): Work<number> {
  return (yield* selectFirst((row) => Number(Object.values(row)[0]), sql, values)) ?? 0;
}

/** Returns how many rows it changed. */
export function* change(sql: string, values?: readonly SqlValue[]): Work<number> {
  return (yield* query(sql, values)).count;
}

/** Whether it changed its one row. */
export function* changeOne(sql: string, values?: readonly SqlValue[]): Work<boolean> {
  return (yield* change(sql, values)) === 1;
}

export function insertText(table: string, names: readonly string[], onConflict = ""): string {
  return `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")}) ${onConflict}`;
}

/** False when `onConflict` left it out. */
export function insert(table: string, columns: Columns, onConflict?: string): Work<boolean> {
  return changeOne(insertText(table, Object.keys(columns), onConflict), Object.values(columns));
}

/** Optimistic: false when the row has another revision than the one that was read. */
export function replaceRevised(
  table: string,
  key: Columns & { revision: number },
  columns: Columns,
): Work<boolean> {
  const set = Object.keys(columns).map((name) => `${name} = ?`);
  const keys = Object.keys(key).map((name) => `${name} = ?`);
  const sql = `UPDATE ${table} SET ${set.join(", ")}, revision = revision + 1 WHERE ${keys.join(" AND ")}`;
  return changeOne(sql, [...Object.values(columns), ...Object.values(key)]);
}

/** Replaced by `= ?` or `IS NULL`, for which an index is used. */
const isSame = "IS NOT DISTINCT FROM ?";

/** Equal, or both NULL. */
export function equalOrNull(column: string): string {
  return `${column} ${isSame}`;
}

/** Each `?` is the value; skipped when it is undefined. */
export type Condition = readonly [sql: string, value: SqlValue | undefined];

export function where(...conditions: readonly Condition[]): { sql: string; values: SqlValue[] } {
  const used = conditions.flatMap(([text, value]) => {
    if (value === undefined) return [];
    const sql = text.replaceAll(isSame, value === null ? "IS NULL" : "= ?");
    return [{ sql, values: Array.from(sql.matchAll(/\?/g), () => value) }];
  });
  const sql =
    used.length === 0 ? "" : `WHERE ${used.map((condition) => condition.sql).join(" AND ")}`;
  return { sql, values: used.flatMap(({ values }) => values) };
}

export function beginsWith(column: string): string {
  return `substr(${column}, 1, length(?)) = ?`;
}

type PageOrder = { order: string; limit?: number | undefined };

export function select<T>(
  parse: (row: Row) => T,
  columns: string,
  table: string,
  conditions: readonly Condition[],
  { order, limit }: PageOrder,
): Work<T[]> {
  const { sql, values } = where(...conditions);
  const text = `SELECT ${columns} FROM ${table} ${sql} ORDER BY ${order}`;
  return limit === undefined
    ? selectRows(parse, text, values)
    : selectRows(parse, `${text} LIMIT ?`, [...values, limit]);
}

/** A page of records; `before` is the last id of the previous one. */
export function newestFirst<T>(
  parse: (row: Row) => T,
  table: string,
  conditions: readonly Condition[],
  { before, limit }: { before?: string | undefined; limit?: number | undefined },
  columns = "record",
): Work<T[]> {
  const older: Condition = [`sequence < (SELECT sequence FROM ${table} WHERE id = ?)`, before];
  return select(parse, columns, table, [...conditions, older], { order: "sequence DESC", limit });
}

export function parseRecord<T>({ record }: Row): T {
  return JSON.parse(String(record)) as T;
}

/** The column holds the current revision; the record was written before it was counted up. */
export function parseRevised<T extends { revision: number }>(row: Row): T {
  return { ...parseRecord<T>(row), revision: Number(row.revision) };
}

export function textOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}

/** SQLite has 1, Postgres has true. */
export function isSqlTrue(value: unknown): boolean {
  return value === 1 || value === true;
}
