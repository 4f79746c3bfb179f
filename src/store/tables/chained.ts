import type { ChainHead, Loss } from "../../model/calls/call-history.ts";
import { change, first, insert, number, type Row, textOrNull, type Work } from "./database.ts";

/** Rows removed in one transaction, so that writers do not wait long. */
const removedAtOnce = 2_000;

/** A table whose rows are linked by hashes, and the table that tells where old rows were removed. */
export type Chained<T> = {
  table: string;
  checkpoints: string;
  /** Columns that are copies of a field of the record, beside its id and time. */
  columns: Readonly<Record<string, (record: T) => string | null | undefined>>;
};

/** Where the next record links to. */
export function* lastHash({ table }: Chained<never>): Work<string> {
  return (
    (yield* first((row) => textOrNull(row.hash), `SELECT hash FROM ${table} ORDER BY sequence DESC LIMIT 1`)) ?? ""
  );
}

/**
 * Removes the oldest rows; a checkpoint takes their place. The newest of them that is too old stays, and proves the age of
 * those before it. Rows of a clock that was ahead hold nothing back: they go with the old ones behind them.
 */
export function* deleteBefore({ table, checkpoints }: Chained<never>, before: string): Work<number> {
  const now = new Date().toISOString();
  const last = (yield* lastOf(table, before, now, oldestRows(table))) ?? (yield* lastOfMany(table, before, now));
  if (last === null) return 0;
  const sequence = Number(last.sequence);
  const hash = textOrNull(last.hash);
  const removed = Number(last.removed);
  yield* insert(checkpoints, { sequence, hash, at: now, removed });
  return yield* change(`DELETE FROM ${table} WHERE sequence <= ?`, [sequence]);
}

const oldestRows = (table: string) =>
  `(SELECT sequence, at, hash FROM ${table} ORDER BY sequence LIMIT ${removedAtOnce + 1}) AS oldest`;

/** Where most rows are old, the first of them say enough. Only where they are all of a clock that was ahead, the others are looked at. */
function* lastOfMany(table: string, before: string, now: string): Work<Row | null> {
  const ahead = `SELECT count(*) FROM ${oldestRows(table)} WHERE at > ?`;
  return (yield* number(ahead, [now])) >= removedAtOnce ? yield* lastOf(table, before, now, table) : null;
}

/** The last row to be removed, of these: the one before the newest that is too old. */
function* lastOf(table: string, before: string, now: string, rows: string): Work<Row | null> {
  return yield* first(
    (row) => row,
    `WITH edge AS (
       SELECT coalesce(
         (SELECT min(sequence) FROM ${rows} WHERE at >= ? AND at <= ?),
         (SELECT max(sequence) + 1 FROM ${rows})) AS sequence
     ), newest AS (
       SELECT max(sequence) AS sequence FROM ${rows} WHERE sequence < (SELECT sequence FROM edge) AND at < ?
     ), old AS (
       SELECT sequence, hash FROM ${table} WHERE sequence < (SELECT sequence FROM newest) ORDER BY sequence LIMIT ?
     )
     SELECT sequence, hash, (SELECT count(*) FROM old) AS removed FROM old ORDER BY sequence DESC LIMIT 1`,
    [before, now, before, removedAtOnce],
  );
}

/** Null where the record of this head is there, or was removed because of its age. */
export function* findLoss({ table, checkpoints }: Chained<never>, head: ChainHead): Work<Loss | null> {
  const hash = yield* first((row) => textOrNull(row.hash), `SELECT hash FROM ${table} WHERE sequence = ?`, [
    head.sequence,
  ]);
  if (hash === head.hash) return null;
  const removed = yield* number(`SELECT coalesce(max(sequence), 0) FROM ${checkpoints}`);
  if (hash === null && head.sequence <= removed) return null;
  const newest = `SELECT at FROM ${table} WHERE sequence < ? ORDER BY sequence DESC LIMIT 1`;
  return { after: yield* first((row) => textOrNull(row.at), newest, [head.sequence]), until: head.at };
}
