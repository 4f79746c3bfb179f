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

function rollBack(database: DatabaseSync): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // A full disk or a failed write has already rolled back; the first error is the one to tell.
  }
}
