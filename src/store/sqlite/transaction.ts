import type { DatabaseSync } from "node:sqlite";

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

/** The same with work that waits in between, for whoever has the connection to himself. */
export async function inLongTransaction<T>(database: DatabaseSync, work: () => Promise<T>): Promise<T> {
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

/** Everything that is read is of one moment. Ends with whoever takes the last of it, or no more. */
export async function* atOneMoment<T>(database: DatabaseSync, read: () => Iterable<T>): AsyncGenerator<T> {
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
    // A full disk or a failed write has already rolled back; the first error is the one to tell.
  }
}
