import { setImmediate as nextTurn } from "node:timers/promises";
import type { Chain } from "../../model/audit.ts";
import { followRows, type Progress, verifyChain } from "../call-chain.ts";
import { all, change, type Database, first, insert, query, textOrNull, type Work } from "./database.ts";

const verifiedAtOnce = 2_000;
/** Rows removed in one transaction, so that writers do not wait long. */
const removedAtOnce = 5_000;

/** A table whose rows are linked by hashes, and the table that tells where old rows were removed. */
export type Chained<T> = {
  table: string;
  checkpoints: string;
  /** Columns that are copies of a field of the record, beside its id and time. */
  columns: Readonly<Record<string, (record: T) => string | null | undefined>>;
};

/** Follows the chain to its end, or to where it is broken. */
export function verify<T>({ read, asStored }: Database, chained: Chained<T>, head?: string): Promise<Chain> {
  const { table, checkpoints } = chained;
  const columns = Object.keys(chained.columns).map((name, at) => `${name} AS c${at}`);
  const following = `SELECT sequence, id, at, ${columns.join(", ")}, record, hash FROM ${table} WHERE sequence > ? ORDER BY sequence LIMIT ?`;
  const holding = `SELECT 1 FROM ${table} WHERE hash = ? UNION SELECT 1 FROM ${checkpoints} WHERE hash = ?`;
  const newest = `SELECT hash FROM ${checkpoints} ORDER BY sequence DESC LIMIT 1`;
  const fields = Object.values(chained.columns);
  return verifyChain(
    {
      checkpoints: () =>
        read(() =>
          all(
            ({ at, removed }) => ({ at: String(at), removed: Number(removed) }),
            `SELECT at, removed FROM ${checkpoints} ORDER BY sequence`,
          ),
        ),
      async start(): Promise<Progress> {
        const hash = await read(() => first((row) => textOrNull(row.hash), newest));
        return { sequence: 0, hash, records: 0, unchained: 0 };
      },
      async follow(from: Progress) {
        // SQLite answers within the turn; other work gets one in between.
        await nextTurn();
        const { rows } = await read(() => query(following, [from.sequence, verifiedAtOnce]));
        return followRows(rows, from, verifiedAtOnce, (row) => {
          const record = JSON.parse(String(row.record)) as T & { id: string; at: string };
          const fits = (value: unknown, field: string | null | undefined) =>
            value === (field === null || field === undefined ? null : asStored(field));
          if (!fits(row.id, record.id) || !fits(row.at, record.at)) return false;
          return fields.every((field, at) => fits(row[`c${at}`], field(record)));
        });
      },
      has: async (hash: string) => (await read(() => query(holding, [hash, hash]))).rows.length > 0,
    },
    head,
  );
}

/** Where the next record links to. */
export function* lastHash({ table }: Chained<never>): Work<string> {
  return (
    (yield* first((row) => textOrNull(row.hash), `SELECT hash FROM ${table} ORDER BY sequence DESC LIMIT 1`)) ?? ""
  );
}

/**
 * Removes the oldest rows, never the newest; a checkpoint takes their place. Rows of a clock that was ahead hold nothing
 * back: they go with the old ones behind them.
 */
export function* deleteBefore({ table, checkpoints }: Chained<never>, before: string): Work<number> {
  const now = new Date().toISOString();
  const [last] = (yield* query(
    `WITH edge AS (
       SELECT coalesce(
         (SELECT sequence FROM ${table} WHERE at >= ? AND at <= ? ORDER BY sequence LIMIT 1),
         (SELECT max(sequence) FROM ${table})) AS sequence
     ), newest AS (
       SELECT sequence FROM ${table} WHERE sequence < (SELECT sequence FROM edge) AND at < ?
       ORDER BY sequence DESC LIMIT 1
     ), old AS (
       SELECT sequence, hash FROM ${table} WHERE sequence <= (SELECT sequence FROM newest) ORDER BY sequence LIMIT ?
     )
     SELECT sequence, hash, (SELECT count(*) FROM old) AS removed FROM old ORDER BY sequence DESC LIMIT 1`,
    [before, now, before, removedAtOnce],
  )).rows;
  if (!last) return 0;
  const sequence = Number(last.sequence);
  const [hash, removed] = [textOrNull(last.hash), Number(last.removed)];
  yield* insert(checkpoints, { sequence, hash, at: now, removed });
  return yield* change(`DELETE FROM ${table} WHERE sequence <= ?`, [sequence]);
}
