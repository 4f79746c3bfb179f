import type { DatabaseSync, StatementSync } from "node:sqlite";
import { PlaneError } from "../../model/errors.ts";
import { storeFailure } from "./store-failure.ts";
import { atOneMoment, inLongTransaction, inTransaction } from "./transaction.ts";

/** Compiles each text once. */
export type Prepare = (sql: string) => StatementSync;

export type Connection = {
  read<T>(work: (prepare: Prepare) => T): Promise<T>;
  /** In one transaction. */
  write<T>(work: (prepare: Prepare) => T): Promise<T>;
  /** In one transaction that may take its time; nobody else may use the connection meanwhile. */
  writeLong<T>(work: (prepare: Prepare) => Promise<T>): Promise<T>;
  readLong<T>(read: (prepare: Prepare) => Iterable<T>): AsyncIterable<T>;
  close(): Promise<void>;
};

/** The only place through which a query goes, so that every failure names the file and the remedy. */
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
    if (!open)
      throw new PlaneError("STORE_FAILED", `The store '${file}' is closed. Open it again to use it.`);
    try {
      return work() as Awaited<T>;
    } catch (thrown) {
      throw storeFailure(file, thrown);
    }
  }

  return {
    read: (work) => attempt(() => work(prepare)),
    write: (work) => attempt(() => inTransaction(database, () => work(prepare))),
    writeLong: (work) =>
      attempt(() => inLongTransaction(database, () => work(prepare))).catch((thrown) => {
        throw storeFailure(file, thrown);
      }),
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
