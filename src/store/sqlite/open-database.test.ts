import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { sqliteSchema } from "../migrations/sqlite-migrations.ts";
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
  migrate(database, "file", { steps: [first] });
  migrate(database, "file", { steps: [first, second] });
  assert.deepEqual(
    { ...database.prepare("SELECT * FROM notes").get() },
    { text: "one", at: "now" },
  );
  assert.deepEqual(idsOf(database), [1, 2]);
});

test("a migration is applied once", (context) => {
  const database = openMemory(context);
  for (let time = 0; time < 3; time += 1) migrate(database, "file", { steps: [first, second] });
  assert.equal(database.prepare("SELECT count(*) AS count FROM notes").get()?.count, 1);
});

test("a migration that fails leaves the file as it was", (context) => {
  const database = openMemory(context);
  migrate(database, "file", { steps: [first] });
  const broken = { id: 3, sql: "DROP TABLE notes; SELECT nonsense" };
  assert.throws(() => migrate(database, "file", { steps: [first, second, broken] }));
  assert.deepEqual({ ...database.prepare("SELECT * FROM notes").get() }, { text: "one" });
  assert.deepEqual(idsOf(database), [1]);
});

test("a new file gets the baseline, and the steps that came after it", (context) => {
  const database = openMemory(context);
  const baseline = { id: 2, sql: "CREATE TABLE notes (text TEXT, at TEXT)" };
  const third = { id: 3, sql: "ALTER TABLE notes ADD COLUMN by TEXT" };
  migrate(database, "file", { steps: [first, second, third], baseline });
  const columns = database.prepare("SELECT name FROM pragma_table_info('notes')").all();
  assert.deepEqual(
    columns.map(({ name }) => name),
    ["text", "at", "by"],
  );
  assert.deepEqual(idsOf(database), [1, 2, 3]);
});

test("an old file gets only the steps that it lacks, never the baseline", (context) => {
  const database = openMemory(context);
  migrate(database, "file", { steps: [first] });
  migrate(database, "file", {
    steps: [first, second],
    baseline: { id: 2, sql: "SELECT nonsense" },
  });
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
  const steps = sqliteSchema.steps.slice(0, 16);
  const message = `it has format ${before.length}, and this version knows 16`;
  assert.throws(() => migrate(database, "file", { steps }), {
    code: "STORE_FAILED",
    message: new RegExp(message),
  });
  assert.deepEqual(idsOf(database), before);
});

test("the baseline is what all steps come to", (context) => {
  const stepwise = openMemory(context);
  const atOnce = openMemory(context);
  migrate(stepwise, "file", { steps: sqliteSchema.steps });
  migrate(atOnce, "file");
  assert.deepEqual(schemaOf(atOnce), schemaOf(stepwise));
  assert.deepEqual(idsOf(atOnce), idsOf(stepwise));
});

/** The SQL of everything in a file, whatever its spacing: an added column is appended to the text of its table. */
function schemaOf(database: DatabaseSync): unknown[] {
  const rows = database
    .prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name")
    .all();
  return rows.map(({ sql, ...row }) => ({ ...row, sql: sql && withoutSpacing(String(sql)) }));
}

function withoutSpacing(sql: string): string {
  return sql.replaceAll(/\s+/g, " ").replaceAll(/ ?([(),]) ?/g, "$1");
}
