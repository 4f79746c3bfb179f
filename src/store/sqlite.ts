import type { JsonObject } from "../model/json.ts";
import type { SharedStep, SharedValues } from "../model/shared-values.ts";
import type { Store } from "../model/store.ts";
import { parseRecord } from "./rows.ts";
import { createCallTable } from "./sqlite/calls.ts";
import { createCatalogueTables, createPinTable } from "./sqlite/catalogue.ts";
import { type Connection, createConnection, type Prepare } from "./sqlite/connection.ts";
import { createCredentialTables } from "./sqlite/credentials.ts";
import { createDeadLetterTable } from "./sqlite/dead-letters.ts";
import { createHeldCallTable, createPlanTable } from "./sqlite/held-calls.ts";
import { createDueWork, createJobStore } from "./sqlite/jobs.ts";
import { openDatabase } from "./sqlite/open-database.ts";
import { createJournalTables, createResultTable } from "./sqlite/records.ts";
import { createStateStore } from "./sqlite/state.ts";

/** The embedded store: one file, or `":memory:"`, which ends with the process. */
export async function openSqliteStore(file: string): Promise<Store> {
  const connection = createConnection(await openDatabase(file), file);
  return {
    ...createJournalTables(connection),
    ...createCallTable(connection),
    ...createResultTable(connection),
    ...createHeldCallTable(connection),
    ...createPlanTable(connection),
    ...createCredentialTables(connection),
    ...createCatalogueTables(connection),
    ...createPinTable(connection),
    ...createDeadLetterTable(connection),
    ...createJobStore(connection),
    dueWork: async () => createDueWork(connection),
    ...createSharedValues(connection),
    ...createStateStore(connection),
    ...onOneMachine,
    close: connection.close,
  };
}

/** A file is always reachable, sends no notifications and has one writer at a time. */
const onOneMachine: Pick<Store, "trouble" | "onTrouble" | "watch" | "alone"> = {
  trouble: () => null,
  onTrouble: () => () => undefined,
  watch: () => () => undefined,
  async alone(_task, work) {
    await work();
    return true;
  },
};

function createSharedValues({ read, write }: Connection): SharedValues {
  return {
    sharedValue: (key) => read((prepare) => selectShared(prepare, key, Date.now())),
    changeShared: (key, keptMs, step) => write((prepare) => changeShared(prepare, key, keptMs, step)),
    sharedKeys: (keys) =>
      read((prepare) =>
        prepare(
          "SELECT key FROM shared_values WHERE key IN (SELECT value FROM json_each(?)) AND until > ? ORDER BY key",
        )
          .all(JSON.stringify(keys), Date.now())
          .map((row) => String(row.key)),
      ),
    forgetShared: () =>
      write((prepare) =>
        Number(prepare("DELETE FROM shared_values WHERE until <= ?").run(Date.now()).changes),
      ),
  };
}

function selectShared(prepare: Prepare, key: string, now: number): JsonObject | null {
  const sql = "SELECT value AS record FROM shared_values WHERE key = ? AND until > ?";
  const row = prepare(sql).get(key, now);
  return row ? parseRecord<JsonObject>(row) : null;
}

function changeShared<T>(prepare: Prepare, key: string, keptMs: number, step: SharedStep<T>): T {
  const now = Date.now();
  const { value, answer } = step(selectShared(prepare, key, now), now);
  if (value === null) prepare("DELETE FROM shared_values WHERE key = ?").run(key);
  else
    prepare(
      "INSERT INTO shared_values (key, until, value) VALUES (?, ?, ?) " +
        "ON CONFLICT (key) DO UPDATE SET until = excluded.until, value = excluded.value",
    ).run(key, Math.ceil(now + keptMs), JSON.stringify(value));
  return answer;
}
