import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { openStore } from "../../src/store/store.ts";
import { type AttackedStore, forgedRemovals } from "../contracts/forged-removals.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";

async function open(): Promise<AttackedStore> {
  const directory = await temporaryDirectory();
  const { store } = await openStore({ address: { kind: "sqlite" }, directory: directory.path });
  // What stands beside the database is another defence.
  rmSync(directory.file("toolplane.db-head"), { force: true });
  const database = new DatabaseSync(directory.file("toolplane.db"));
  const triggers = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all();
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`);
  return {
    store: {
      ...store,
      verifyCalls: async (options) => withoutHeads(await store.verifyCalls(options)),
    },
    run: async (sql) => database.exec(sql),
    rows: async (sql) => database.prepare(sql).all(),
    async close() {
      database.close();
      await store.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}

function withoutHeads<T extends { broken: unknown; headFound: boolean | null }>(check: T) {
  return { ...check, lost: [], ok: check.broken === null && check.headFound !== false };
}

forgedRemovals("SQLite", open, "event");
