import { accessSync, closeSync, constants, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { migrate } from "../migrations/migrate.ts";
import { isLocked, lockTimeoutMs, storeFailure } from "./store-failure.ts";

const retryAfterMs = 20;

/** Opens the file, creating what is missing, and brings it to the newest version. */
export async function openDatabase(file: string): Promise<DatabaseSync> {
  const giveUpAt = Date.now() + lockTimeoutMs;
  try {
    // Loaded here, so that nobody pays for SQLite who opens no store.
    const { DatabaseSync: Database } = await import("node:sqlite");
    const path = file === ":memory:" ? file : prepareFile(resolve(file));
    for (;;) {
      const database = tryOpen(() => new Database(path), file, giveUpAt);
      if (database) return database;
      await pause(retryAfterMs);
    }
  } catch (thrown) {
    throw storeFailure(file, thrown);
  }
}

/** Nothing when another process is switching the same new file to WAL: SQLite does not wait for that lock. */
function tryOpen(open: () => DatabaseSync, file: string, giveUpAt: number): DatabaseSync | null {
  const database = open();
  try {
    database.exec(`PRAGMA busy_timeout = ${lockTimeoutMs}`);
    // Before anything is changed, so that a file which is not ours stays as it is.
    migrate(database, file);
    setUp(database);
    return database;
  } catch (thrown) {
    database.close();
    if (isLocked(thrown) && Date.now() < giveUpAt) return null;
    throw thrown;
  }
}

function setUp(database: DatabaseSync): void {
  database.exec("PRAGMA journal_mode = WAL");
  // Commits reach the operating system but not always the disk: they survive `kill -9` of this process; a
  // power cut may take the last of them and never harms the file.
  database.exec("PRAGMA synchronous = NORMAL");
  // Moving what is in the log into the file waits for the disk, and under load the same pages are moved again and again.
  database.exec("PRAGMA wal_autocheckpoint = 4000");
  database.exec("PRAGMA foreign_keys = ON");
}

/**
 * Never opens a file that is already there: closing it again would drop the locks which another connection
 * of this process holds on it.
 */
function prepareFile(path: string): string {
  createDirectory(dirname(path));
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw Object.assign(new Error("not a file"), { code: "EISDIR" });
  if (!found) unlessThere(() => closeSync(openSync(path, "wx", 0o600)));
  // SQLite would open a write-protected file for reading and fail only at the first write.
  accessSync(path, constants.W_OK);
  accessSync(dirname(path), constants.W_OK);
  return path;
}

/** Not `recursive: true`: Node 24 never returns from that below a directory that refuses with ENOENT (/proc). */
function createDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })) return;
  createDirectory(dirname(path));
  unlessThere(() => mkdirSync(path, { mode: 0o700 }));
}

/** Another process may create the same thing at the same moment. */
function unlessThere(create: () => void): void {
  try {
    create();
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
  }
}
