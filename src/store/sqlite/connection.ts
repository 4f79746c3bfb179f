import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { PlaneError } from "../../model/errors.ts";
import { storeFailure } from "./store-failure.ts";

/** Compiles each text once. */
export type Prepare = (sql: string) => StatementSync;

export type Connection = {
  read<T>(work: (prepare: Prepare) => T): Promise<T>;
  /** In one transaction. */
  write<T>(work: (prepare: Prepare) => T): Promise<T>;
  /** In one transaction that may await; the connection must not be used for anything else meanwhile. */
  writeLong<T>(work: (prepare: Prepare) => Promise<T>): Promise<T>;
  readLong<T>(read: (prepare: Prepare) => Iterable<T>): AsyncIterable<T>;
  close(): Promise<void>;
};

/** Every query goes through here, so that every failure names the file and the remedy. */
export function createConnection(database: DatabaseSync, file: string): Connection {
  const statements = new Map<string, StatementSync>();
  let open = true;

  const prepare: Prepare = (sql) => {
    const known = statements.get(sql);
    if (known) return known;
    const statement = database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };

  async function attempt<T>(work: () => T): Promise<Awaited<T>> {
    if (!open) throw new PlaneError("STORE_FAILED", `The store '${file}' is closed. Open it again to use it.`);
    try {
      return await work();
    } catch (thrown) {
      throw storeFailure(file, thrown);
    }
  }

  return {
    read: (work) => attempt(() => work(prepare)) as Promise<ReturnType<typeof work>>,
    write: (work) => attempt(() => inTransaction(database, () => work(prepare))) as Promise<ReturnType<typeof work>>,
    writeLong: (work) => attempt(() => inLongTransaction(database, () => work(prepare))),
    readLong: (look) => atOneMoment(database, () => look(prepare)),
    async close() {
      if (!open) return;
      await attempt(() => {
        open = false;
        database.close();
      });
    },
  };
}

/** IMMEDIATE takes the write lock at the start, where waiting for another process is possible. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const value = work();
    database.exec("COMMIT");
    return value;
  } catch (thrown) {
    rollBack(database);
    throw thrown;
  }
}

async function inLongTransaction<T>(database: DatabaseSync, work: () => Promise<T>): Promise<T> {
  database.exec("BEGIN IMMEDIATE");
  try {
    const value = await work();
    database.exec("COMMIT");
    return value;
  } catch (thrown) {
    rollBack(database);
    throw thrown;
  }
}

/** A snapshot: everything read is of one moment. */
async function* atOneMoment<T>(database: DatabaseSync, read: () => Iterable<T>): AsyncGenerator<T> {
  database.exec("BEGIN DEFERRED");
  try {
    yield* read();
  } finally {
    rollBack(database);
  }
}

function rollBack(database: DatabaseSync): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // A full disk or a failed write has already rolled back; the first error is the one to report.
  }
}

/** A condition with one `?`; skipped when its value is undefined. */
export type Condition = readonly [sql: string, value: SQLInputValue | undefined];

export function where(...conditions: readonly Condition[]): { sql: string; values: SQLInputValue[] } {
  const used = conditions.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  const sql = used.length === 0 ? "" : `WHERE ${used.map((one) => one.sql).join(" AND ")}`;
  return { sql, values: used.map(({ value }) => value) };
}

/** Whether a statement changed its row. */
export function didChange({ changes }: { changes: number | bigint }): boolean {
  return Number(changes) === 1;
}
