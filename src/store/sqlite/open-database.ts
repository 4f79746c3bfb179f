import { accessSync, closeSync, constants, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { lastUnnotedVersion, type Migration, newestOf, pendingFrom } from "../../lib/migrations.ts";
import { syncDirectoryNow } from "../../lib/sync-file.ts";
import { version as ownVersion } from "../../lib/version.ts";
import { PlaneError } from "../../model/errors.ts";
import { sqliteMigrations } from "../migrations/sqlite-migrations.ts";
import { inTransaction } from "./connection.ts";
import { isLocked, lockTimeoutMs, sqliteFailure } from "./store-failure.ts";

const retryAfterMs = 20;

/** Opens the file, creating what is missing, and brings it to the newest version. */
export async function openDatabase(file: string): Promise<DatabaseSync> {
  const giveUpAt = Date.now() + lockTimeoutMs;
  try {
    // Loaded only when a store is opened.
    const { DatabaseSync: Database } = await import("node:sqlite");
    const path = file === ":memory:" ? file : prepareFile(resolve(file));
    for (;;) {
      const database = tryOpen(() => new Database(path), file, giveUpAt);
      if (database) return database;
      await pause(retryAfterMs);
    }
  } catch (thrown) {
    throw sqliteFailure(file, thrown);
  }
}

/** Null when another process is switching the same new file to WAL: SQLite does not wait for that lock. */
function tryOpen(open: () => DatabaseSync, file: string, giveUpAt: number): DatabaseSync | null {
  const database = open();
  try {
    database.exec(`PRAGMA busy_timeout = ${lockTimeoutMs}`);
    // A new file is written faster in WAL mode; a database of another program stays unchanged.
    const isNew = !hasTable(database, "true");
    if (isNew) setUp(database);
    migrate(database, file);
    if (!isNew) setUp(database);
    noteVersion(database, ownVersion, new Date().toISOString());
    return database;
  } catch (thrown) {
    database.close();
    if (isLocked(thrown) && Date.now() < giveUpAt) return null;
    throw thrown;
  }
}

function setUp(database: DatabaseSync): void {
  const mode = database.prepare("PRAGMA journal_mode = WAL").get()?.journal_mode;
  // Commits survive `kill -9`. What must survive a power cut waits for the disk itself (log-sync.ts), not on this thread.
  // Without a log, as on some network file systems, there is nothing to wait for later.
  database.exec(`PRAGMA synchronous = ${mode === "wal" ? "NORMAL" : "FULL"}`);
  // A checkpoint waits for the disk, and under load moves the same pages again and again.
  database.exec("PRAGMA wal_autocheckpoint = 4000");
  database.exec("PRAGMA foreign_keys = ON");
}

/** Never opens an existing file: closing it would drop the locks of other connections of this process. */
function prepareFile(path: string): string {
  createDirectory(dirname(path));
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) throw Object.assign(new Error("not a file"), { code: "EISDIR" });
  if (!stats) {
    unlessExisting(() => closeSync(openSync(path, "wx", 0o600)));
    syncDirectoryNow(dirname(path));
  }
  // SQLite would open a write-protected file for reading and fail only at the first write.
  accessSync(path, constants.W_OK);
  accessSync(dirname(path), constants.W_OK);
  return path;
}

/** Not `recursive: true`: Node 24 never returns from that below a directory that refuses with ENOENT (/proc). */
function createDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })) return;
  createDirectory(dirname(path));
  unlessExisting(() => mkdirSync(path, { mode: 0o700 }));
}

/** Another process may create the same thing at the same moment. */
function unlessExisting(create: () => void): void {
  try {
    create();
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
  }
}

/** Brings the file to the newest version. Forward only; several processes may try at once. */
export function migrate(database: DatabaseSync, file: string, migrations = sqliteMigrations): void {
  // First without the write lock, so that opening a current file never waits for a writer.
  if (pendingOf(database, file, migrations).length === 0) return;
  inTransaction(database, () => {
    // Another process may have migrated while this one waited for the lock.
    const pending = pendingOf(database, file, migrations);
    if (isForeign(database)) throw belongsToOthers(file);
    const madeAt = firstMigrationAt(database);
    const hadVersions = hasTable(database, versionTable);
    for (const step of pending) apply(database, step);
    const isOlder = madeAt !== null && !hadVersions && hasTable(database, versionTable);
    if (isOlder) noteVersion(database, lastUnnotedVersion, madeAt);
  });
}

const versionTable = "name = 'store_versions'";

function firstMigrationAt(database: DatabaseSync): string | null {
  if (!hasTable(database, "name = 'migrations'")) return null;
  const first = database.prepare("SELECT min(at) AS at FROM migrations").get();
  return typeof first?.at === "string" ? first.at : null;
}

/** Reads first: opening a store never waits for a writer. */
function noteVersion(database: DatabaseSync, version: string, since: string): void {
  const isNoted = database.prepare("SELECT 1 FROM store_versions WHERE version = ?").get(version);
  if (isNoted !== undefined) return;
  database
    .prepare("INSERT OR IGNORE INTO store_versions (version, since) VALUES (?, ?)")
    .run(version, since);
}

function pendingOf(
  database: DatabaseSync,
  file: string,
  migrations: readonly Migration[],
): Migration[] {
  const version = versionOf(database);
  const newest = newestOf(migrations);
  if (version > newest) throw tooNew(file, version, newest);
  return pendingFrom(version, migrations);
}

function apply(database: DatabaseSync, { id, sql }: Migration): void {
  database.exec(
    "CREATE TABLE IF NOT EXISTS migrations (id INTEGER PRIMARY KEY, at TEXT NOT NULL) STRICT",
  );
  database.exec(sql);
  database
    .prepare("INSERT INTO migrations (id, at) VALUES (?, ?)")
    .run(id, new Date().toISOString());
}

function versionOf(database: DatabaseSync): number {
  if (!hasTable(database, "name = 'migrations'")) return 0;
  return Number(
    database.prepare("SELECT coalesce(max(id), 0) AS version FROM migrations").get()?.version,
  );
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
