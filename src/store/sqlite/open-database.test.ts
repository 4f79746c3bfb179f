import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { sqliteMigrations } from "../migrations/sqlite-migrations.ts";
import { migrate } from "./open-database.ts";

const first = { id: 1, sql: "CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('one')" };
const second = { id: 2, sql: "ALTER TABLE notes ADD COLUMN at TEXT; UPDATE notes SET at = 'now'" };

function openMemory(context: TestContext): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  context.after(() => database.close());
  return database;
}

function idsOf(database: DatabaseSync): unknown[] {
  return database
    .prepare("SELECT id FROM migrations ORDER BY id")
    .all()
    .map((row) => row.id);
}

test("an old file is brought forward and keeps what is in it", (context) => {
  const database = openMemory(context);
  migrate(database, "file", [first]);
  migrate(database, "file", [first, second]);
  assert.deepEqual(
    { ...database.prepare("SELECT * FROM notes").get() },
    { text: "one", at: "now" },
  );
  assert.deepEqual(idsOf(database), [1, 2]);
});

test("a migration is applied once", (context) => {
  const database = openMemory(context);
  for (let time = 0; time < 3; time += 1) migrate(database, "file", [first, second]);
  assert.equal(database.prepare("SELECT count(*) AS count FROM notes").get()?.count, 1);
});

test("a migration that fails leaves the file as it was", (context) => {
  const database = openMemory(context);
  migrate(database, "file", [first]);
  const broken = { id: 3, sql: "DROP TABLE notes; SELECT nonsense" };
  assert.throws(() => migrate(database, "file", [first, second, broken]));
  assert.deepEqual({ ...database.prepare("SELECT * FROM notes").get() }, { text: "one" });
  assert.deepEqual(idsOf(database), [1]);
});

test("an old file gets only the steps that it lacks", (context) => {
  const database = openMemory(context);
  migrate(database, "file", [first]);
  migrate(database, "file", [{ id: 1, sql: "SELECT nonsense" }, second]);
  assert.deepEqual(
    { ...database.prepare("SELECT * FROM notes").get() },
    { text: "one", at: "now" },
  );
  assert.deepEqual(idsOf(database), [1, 2]);
});

test("an earlier version refuses what this one has written, and leaves it as it is", (context) => {
  const database = openMemory(context);
  migrate(database, "file");
  const before = idsOf(database);
  const steps = sqliteMigrations.slice(0, 16);
  const message = `it has format ${before.length}, and this version knows 16`;
  assert.throws(() => migrate(database, "file", steps), {
    code: "STORE_FAILED",
    message: new RegExp(message),
  });
  assert.deepEqual(idsOf(database), before);
});
