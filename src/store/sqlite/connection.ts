import { statSync } from "node:fs";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { PlaneError } from "../../model/errors.ts";
import type { QueryResult, SqlValue, Work, WriteOptions } from "../tables/database.ts";
import type { LogSync } from "./log-sync.ts";
import { goneCode, sqliteFailure } from "./store-failure.ts";

/** Compiles each text once. */
export type Prepare = (sql: string) => StatementSync;
export type SqliteConnection = ReturnType<typeof createSqliteConnection>;
const nothing = () => undefined;
/** For a connection whose owner waits for the disk by itself. */
const noSync: LogSync = { sync: async () => undefined, close: async () => undefined };

/** Every query goes through here, so that every failure names the file and the remedy. */
export function createSqliteConnection(
  database: DatabaseSync,
  file: string,
  onFailure: (failure: PlaneError) => void = nothing,
  log: LogSync = noSync,
) {
  const statements = new Map<string, StatementSync>();
  const inode = file === ":memory:" || process.platform === "win32" ? null : statSync(file).ino;
  let isOpen = true;
  /** Rows that were changed: what changes none has nothing to wait for. */
  const changes = () => Number(prepare(totalChanges).get()?.total);

  /** SQLite writes on into a file that was removed, where no one finds it again. */
  const requireFile = () => {
    if (inode === null || statSync(file, { throwIfNoEntry: false })?.ino === inode) return;
    throw Object.assign(new Error("the file is not where it was opened"), { code: goneCode });
  };

  const prepare: Prepare = (sql) => {
    const prepared = statements.get(sql);
    if (prepared) return prepared;
    // The name of this column in files of every version; Postgres reserves it.
    const statement = database.prepare(sql.replaceAll("user_name", "user"));
    statements.set(sql, statement);
    return statement;
  };

  async function attempt<T>(work: () => T | Promise<T>): Promise<T> {
    if (!isOpen)
      throw new PlaneError(
        "STORE_FAILED",
        `The store '${file}' is closed. Open it again to use it.`,
      );
    try {
      return await work();
    } catch (thrown) {
      const failure = sqliteFailure(file, thrown);
      onFailure(failure);
      throw failure;
    }
  }

  return {
    read: <T>(work: () => Work<T>): Promise<T> => attempt(() => follow(work(), prepare)),
    /** In one transaction. */
    write: <T>(
      work: () => Work<T>,
      { survives }: Pick<WriteOptions<T>, "survives"> = {},
    ): Promise<T> =>
      attempt(async () => {
        requireFile();
        const changesBefore = changes();
        const value = inTransaction(database, () => follow(work(), prepare));
        if (survives !== "process" && changes() > changesBefore) await log.sync();
        return value;
      }),
    /** Waits until every commit so far survives a power cut. */
    sync: (): Promise<void> => attempt(log.sync),
    /** In one transaction that may await; the connection must not be used for anything else meanwhile. */
    writeLong: <T>(work: (prepare: Prepare) => Promise<T>): Promise<T> =>
      attempt(async () => {
        const value = await inLongTransaction(database, () => work(prepare));
        await log.sync();
        return value;
      }),
    readLong: <T>(read: (prepare: Prepare) => Iterable<T>): AsyncIterable<T> =>
      readSnapshot(database, () => read(prepare)),
    async close(): Promise<void> {
      if (!isOpen) return;
      await attempt(async () => {
        isOpen = false;
        await log.close();
        database.close();
      });
    },
  };
}

const totalChanges = "SELECT total_changes() AS total";

/** Within one turn. */
function follow<T>(work: Work<T>, prepare: Prepare): T {
  for (let step = work.next(); ; ) {
    if (step.done) return step.value;
    step = work.next(answer(prepare(step.value.sql), step.value));
  }
}

function answer(
  statement: StatementSync,
  { sql, values }: { sql: string; values: readonly SqlValue[] },
): QueryResult {
  if (/^\s*(?:SELECT|WITH)/.test(sql)) {
    const rows = statement.all(...values.map(asValue));
    return { rows, count: rows.length };
  }
  return { rows: [], count: Number(statement.run(...values.map(asValue)).changes) };
}

function asValue(value: SqlValue): SQLInputValue {
  if (typeof value === "boolean") return Number(value);
  return Array.isArray(value) ? JSON.stringify(value) : (value as SQLInputValue);
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
async function* readSnapshot<T>(
  database: DatabaseSync,
  read: () => Iterable<T>,
): AsyncGenerator<T> {
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
