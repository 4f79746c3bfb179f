import type { DatabaseSync } from "node:sqlite";
import { PlaneError } from "../../model/errors.ts";
import { inTransaction } from "../sqlite/transaction.ts";
import { start } from "./001-start.ts";
import { secrets } from "./002-secrets.ts";
import { knownServers } from "./003-known-servers.ts";
import { sampleOrder } from "./004-sample-order.ts";
import { apiKeys } from "./005-api-keys.ts";
import { entries } from "./006-entries.ts";
import { deadLetters } from "./007-dead-letters.ts";
import { heldCalls } from "./008-held-calls.ts";
import { callsByUser } from "./009-calls-by-user.ts";
import { results } from "./010-results.ts";
import { callChain } from "./011-call-chain.ts";
import { pins } from "./012-pins.ts";
import { runs } from "./013-runs.ts";
import { jobs } from "./014-jobs.ts";
import { sharedValues } from "./015-shared-values.ts";
import { callMinutes } from "./016-call-minutes.ts";

type Migration = { id: number; sql: string };

const allMigrations: readonly Migration[] = [
  start,
  secrets,
  knownServers,
  sampleOrder,
  apiKeys,
  entries,
  deadLetters,
  heldCalls,
  callsByUser,
  results,
  callChain,
  pins,
  runs,
  jobs,
  sharedValues,
  callMinutes,
];

/** Brings the file to the newest version. Forward only; several processes may try at once. */
export function migrate(database: DatabaseSync, file: string, migrations = allMigrations): void {
  // Looked at without the write lock first, so that opening a current file never waits for a writer.
  if (pendingOf(database, file, migrations).length === 0) return;
  inTransaction(database, () => {
    // Looked at again: another process may have migrated while this one waited for the lock.
    const pending = pendingOf(database, file, migrations);
    if (isForeign(database)) throw belongsToOthers(file);
    for (const migration of pending) apply(database, migration);
  });
}

function pendingOf(database: DatabaseSync, file: string, migrations: readonly Migration[]): Migration[] {
  const newest = migrations.at(-1)?.id ?? 0;
  const version = versionOf(database);
  if (version > newest) throw tooNew(file, version, newest);
  return migrations.filter((migration) => migration.id > version);
}

function apply(database: DatabaseSync, migration: Migration): void {
  database.exec("CREATE TABLE IF NOT EXISTS migrations (id INTEGER PRIMARY KEY, at TEXT NOT NULL) STRICT");
  database.exec(migration.sql);
  const at = new Date().toISOString();
  database.prepare("INSERT INTO migrations (id, at) VALUES (?, ?)").run(migration.id, at);
}

function versionOf(database: DatabaseSync): number {
  if (!hasTable(database, "name = 'migrations'")) return 0;
  return Number(database.prepare("SELECT coalesce(max(id), 0) AS version FROM migrations").get()?.version);
}

function isForeign(database: DatabaseSync): boolean {
  return hasTable(database, "true") && !hasTable(database, "name = 'migrations'");
}

function hasTable(database: DatabaseSync, condition: string): boolean {
  return database.prepare(`SELECT 1 FROM sqlite_schema WHERE ${condition}`).get() !== undefined;
}

function tooNew(file: string, version: number, newest: number): PlaneError {
  const message =
    `The store '${file}' was written by a newer version: it has format ${version}, and this version knows ` +
    `${newest}. Update this installation, or name another file.`;
  return new PlaneError("STORE_FAILED", message);
}

function belongsToOthers(file: string): PlaneError {
  const message = `The store '${file}' is a database of another program. Name another file.`;
  return new PlaneError("STORE_FAILED", message);
}
