import type { ChainHead, Loss } from "../../model/calls/call-history.ts";
import {
  change,
  type Database,
  insert,
  type Row,
  selectFirst,
  selectNumber,
  selectRows,
  textOrNull,
  type Work,
} from "./database.ts";

const dayMs = 24 * 3_600_000;
/** Rows removed in one transaction, so that writers do not wait long. */
const removedAtOnce = 2_000;

/** A table whose rows are linked by hashes, and the table that tells where old rows were removed. */
export type Chained<T> = {
  /** The name of the table. */
  table: string;
  /** The name of the table that tells where rows were removed. */
  checkpoints: string;
  /** As SQL: rows of one stream are one chain. Where all rows are one chain it is 0, else the column. */
  stream: "stream" | "0";
  /** Columns that are copies of a field of the record, beside its id and time. */
  columns: Readonly<Record<string, (record: T) => string | null | undefined>>;
};

/** Where the next record of stream 0 links to. */
export function* lastHash({ table, stream }: Chained<never>): Work<string> {
  const newest = `SELECT hash FROM ${table} WHERE ${stream} = 0 ORDER BY sequence DESC LIMIT 1`;
  return (yield* selectFirst((row) => textOrNull(row.hash), newest)) ?? "";
}

/**
 * Removes the oldest rows; a checkpoint for each of their streams takes their place. The newest of a stream that is too old
 * stays, and proves the age of those before it. Rows of a clock that was ahead hold nothing back: they go with the old ones
 * behind them.
 */
export function* deleteBefore(chained: Chained<never>, before: string): Work<number> {
  const { table, checkpoints, stream } = chained;
  const now = new Date().toISOString();
  const lastRemoved =
    (yield* lastOf(chained, before, now, oldestRows(chained))) ??
    (yield* lastOfMany(chained, before, now));
  if (lastRemoved === null) return 0;
  // Of the other streams the newest stays, too.
  const streamRows = `(SELECT sequence, ${stream} AS stream FROM ${table} WHERE sequence <= ?) AS those`;
  const newestOfStreams = `SELECT max(sequence) FROM ${streamRows} WHERE stream <> ? GROUP BY stream`;
  const removedRows = `sequence <= ? AND sequence NOT IN (${newestOfStreams})`;
  const values = [
    Number(lastRemoved.sequence),
    Number(lastRemoved.sequence),
    Number(lastRemoved.stream),
  ];
  const ends = yield* selectRows(
    (row) => row,
    `SELECT one.stream, one.sequence, one.removed, ${table}.hash FROM (
       SELECT ${stream} AS stream, max(sequence) AS sequence, count(*) AS removed FROM ${table} WHERE ${removedRows} GROUP BY 1
     ) AS one JOIN ${table} ON ${table}.sequence = one.sequence ORDER BY one.sequence`,
    values,
  );
  for (const end of ends) {
    const streamColumn = stream === "0" ? {} : { stream: Number(end.stream) };
    const checkpoint = {
      sequence: Number(end.sequence),
      hash: textOrNull(end.hash),
      at: now,
      removed: Number(end.removed),
    };
    yield* insert(checkpoints, { ...checkpoint, ...streamColumn });
  }
  return ends.length === 0 ? 0 : yield* change(`DELETE FROM ${table} WHERE ${removedRows}`, values);
}

const oldestRows = ({ table, stream }: Chained<never>) =>
  `(SELECT sequence, at, ${stream} AS stream FROM ${table} ORDER BY sequence LIMIT ${removedAtOnce + 1}) AS oldest`;

/** Where most rows are old, the first of them say enough. Only where they are all of a clock that was ahead, the others are looked at. */
function* lastOfMany(chained: Chained<never>, before: string, now: string): Work<Row | null> {
  const ahead = `SELECT count(*) FROM ${oldestRows(chained)} WHERE at > ?`;
  const { table, stream } = chained;
  const everyRow = `(SELECT sequence, at, ${stream} AS stream FROM ${table}) AS every_row`;
  return (yield* selectNumber(ahead, [now])) >= removedAtOnce
    ? yield* lastOf(chained, before, now, everyRow)
    : null;
}

/** The last row to be removed, of these: the one before the newest that is too old, and the stream of that. */
function* lastOf(
  { table }: Chained<never>,
  before: string,
  now: string,
  rows: string,
): Work<Row | null> {
  return yield* selectFirst(
    (row) => row,
    `WITH edge AS (
       SELECT coalesce(
         (SELECT min(sequence) FROM ${rows} WHERE at >= ? AND at <= ?),
         (SELECT max(sequence) + 1 FROM ${rows})) AS sequence
     ), newest AS (
       SELECT sequence, stream FROM ${rows} WHERE sequence < (SELECT sequence FROM edge) AND at < ?
       ORDER BY sequence DESC LIMIT 1
     ), old AS (
       SELECT sequence FROM ${table} WHERE sequence < (SELECT sequence FROM newest) ORDER BY sequence LIMIT ?
     )
     SELECT max(sequence) AS sequence, (SELECT stream FROM newest) AS stream FROM old HAVING max(sequence) IS NOT NULL`,
    [before, now, before, removedAtOnce],
  );
}

/** The place up to which each stream was removed. */
export function* newestCheckpoints({
  checkpoints,
  stream,
}: Chained<never>): Work<Map<number, { sequence: number; hash: string }>> {
  const places = yield* selectRows(
    (row) =>
      [
        Number(row.stream),
        { sequence: Number(row.sequence), hash: textOrNull(row.hash) ?? "" },
      ] as const,
    `SELECT sequence, ${stream} AS stream, hash FROM ${checkpoints} ORDER BY sequence`,
  );
  return new Map(places);
}

/** Null where the record of this head is there, or was removed because of its age. */
export function* findLoss(
  database: Pick<Database, "isOneOf">,
  chained: Chained<never>,
  head: ChainHead,
): Work<Loss | null> {
  const streamNumber = head.stream ?? 0;
  if ((yield* lostOf(database, chained, streamNumber, [head])).length === 0) return null;
  const { table, stream } = chained;
  const newest = `SELECT at FROM ${table} WHERE ${stream} = ? AND sequence < ? ORDER BY sequence DESC LIMIT 1`;
  return {
    after: yield* selectFirst((row) => textOrNull(row.at), newest, [streamNumber, head.sequence]),
    until: head.at,
  };
}

/** How old a record had to be when it was removed; a removal up to `sealed` was made by a plane with the key of the store. */
export type Removable = { keepDays?: number | undefined; sealed?: number | undefined };

/** Of these records of one stream those that are not there, and were not removed because of their age or the size of all. */
export function* lostOf<T extends { sequence: number; hash: string; at?: string }>(
  { isOneOf }: Pick<Database, "isOneOf">,
  { table, checkpoints, stream }: Chained<never>,
  streamNumber: number,
  records: readonly T[],
  { keepDays, sealed = 0 }: Removable = {},
): Work<T[]> {
  const numbers = records.map(({ sequence }) => sequence);
  // In its own stream: records of two that were swapped are chained as before.
  const storedHashes = new Map(
    yield* selectRows(
      (row) => [Number(row.sequence), textOrNull(row.hash)] as const,
      `SELECT sequence, hash FROM ${table} WHERE ${stream} = ? AND ${isOneOf("sequence")}`,
      [streamNumber, numbers],
    ),
  );
  const missing = records.filter(({ sequence, hash }) => storedHashes.get(sequence) !== hash);
  if (missing.length === 0) return [];
  const lastRemoved = `SELECT coalesce(max(sequence), 0) FROM ${checkpoints} WHERE ${stream} = ?`;
  const removed = yield* selectNumber(lastRemoved, [streamNumber]);
  // Removal takes all up to there, and leaves the newest: a checkpoint before or behind all records is forged.
  const oldest = yield* selectNumber(
    `SELECT coalesce(min(sequence), 0) FROM ${table} WHERE ${stream} = ?`,
    [streamNumber],
  );
  // A root is a little younger than its records, and a day is no time that a forger could use.
  const oldBefore = keepDays === undefined ? null : Date.now() - (keepDays - 1) * dayMs;
  const isOld = ({ at }: T) =>
    keepDays !== 0 && (oldBefore === null || at === undefined || Date.parse(at) < oldBefore);
  return missing.filter((record) => {
    const { sequence } = record;
    if (storedHashes.has(sequence) || sequence > removed || oldest <= removed) return true;
    return sequence > sealed && !isOld(record);
  });
}

/** The hash that a record continues: of the one before it in its stream, or of what was removed there. */
export function* hashBefore(
  { table, checkpoints, stream }: Chained<never>,
  streamNumber: number,
  sequence: number,
): Work<string> {
  for (const tableName of [table, checkpoints]) {
    const sql = `SELECT hash FROM ${tableName} WHERE ${stream} = ? AND sequence < ? ORDER BY sequence DESC LIMIT 1`;
    const hash = yield* selectFirst((row) => textOrNull(row.hash) ?? "", sql, [
      streamNumber,
      sequence,
    ]);
    if (hash !== null) return hash;
  }
  return "";
}
