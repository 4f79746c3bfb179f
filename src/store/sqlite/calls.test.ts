import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { callEntry, moment } from "../../../test/contracts/records.ts";
import type { VerifyOptions } from "../../model/calls/call-history.ts";
import { openSqliteStore } from "../sqlite.ts";

async function recorded(context: TestContext, at = moment): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "chain-"));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "store.sqlite");
  const store = await openSqliteStore(file);
  await store.append(["one", "two", "three", "four"].map((id) => callEntry(id, { at })));
  await store.close();
  return file;
}

/** What an attacker with the file could do. */
function tamper(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  for (const { name } of database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
    .all())
    database.exec(`DROP TRIGGER ${name}`);
  database.exec(sql);
  database.close();
}

async function verify(file: string, options?: VerifyOptions) {
  const store = await openSqliteStore(file);
  const chain = await store.verifyCalls(options);
  await store.close();
  return chain;
}

for (const sql of [
  "UPDATE calls SET status = 'failed' WHERE id = 'two'",
  "DELETE FROM calls WHERE id = 'two'",
  "DELETE FROM calls",
  "UPDATE call_checkpoints SET hash = 'x'",
]) {
  test(`the database itself refuses: ${sql}`, async (context) => {
    const file = await recorded(context);
    const database = new DatabaseSync(file);
    context.after(() => database.close());
    database.exec(
      "INSERT INTO call_checkpoints (sequence, hash, at, removed) VALUES (0, NULL, 'now', 0)",
    );
    assert.throws(
      () => database.exec(sql),
      /cannot be changed|only be removed behind a checkpoint/,
    );
  });
}

for (const [what, sql, id] of [
  [
    "a changed record",
    "UPDATE calls SET record = replace(record, '\"ada\"', '\"bob\"') WHERE id = 'two'",
    "two",
  ],
  ["a changed column", "UPDATE calls SET user = 'bob' WHERE id = 'three'", "three"],
  ["a call that was given to a run", "UPDATE calls SET run = 'theirs' WHERE id = 'two'", "two"],
  ["a removed call", "DELETE FROM calls WHERE id = 'two'", "three"],
  ["a removed beginning", "DELETE FROM calls WHERE id = 'one'", "two"],
  [
    "an added call",
    "INSERT INTO calls (id, at, tool, status, record) SELECT 'x', at, tool, status, record FROM calls WHERE id = 'one'",
    "x",
  ],
  [
    "exchanged calls",
    "UPDATE calls SET sequence = -2 WHERE id = 'two'; UPDATE calls SET sequence = 2 WHERE id = 'three'; UPDATE calls SET sequence = 3 WHERE id = 'two'",
    "three",
  ],
] as const) {
  test(`${what} is found, at the first call that shows it`, async (context) => {
    const file = await recorded(context);
    tamper(file, sql);
    const { ok, broken } = await verify(file);
    assert.deepEqual([ok, broken?.id], [false, id]);
  });
}

test("a removed end is found with a head that was kept", async (context) => {
  const file = await recorded(context);
  const { head } = await verify(file);
  tamper(file, "DELETE FROM calls WHERE id = 'four'");
  assert.equal((await verify(file)).ok, true, "nothing in the file can tell");
  const { ok, headFound } = await verify(file, { head: head ?? "" });
  assert.deepEqual([ok, headFound], [false, false]);
});

test("records without hashes are found, also where no record has one", async (context) => {
  const file = await recorded(context);
  tamper(
    file,
    "UPDATE calls SET hash = NULL, record = replace(record, '\"ada\"', '\"bob\"'), user = 'bob'",
  );
  const { ok, broken } = await verify(file);
  assert.deepEqual([ok, broken?.id], [false, "one"]);
});

const forgeries = {
  "as of now": "SELECT sequence, hash, strftime('%Y-%m-%dT%H:%M:%fZ'), 2",
  "as of long ago": "SELECT sequence, hash, '2026-03-01T12:00:00.000Z', 2",
  "as of long after": "SELECT sequence, hash, '2999-03-01T12:00:00.000Z', 2",
};

for (const [when, row] of Object.entries(forgeries))
  test(`a checkpoint that an attacker made ${when} does not hide the removal of young records`, async (context) => {
    const file = await recorded(context, new Date().toISOString());
    const { head } = await verify(file);
    tamper(
      file,
      `INSERT INTO call_checkpoints (sequence, hash, at, removed) ${row} FROM calls WHERE id = 'two'; DELETE FROM calls WHERE id IN ('one', 'two')`,
    );
    const { ok, broken, headFound } = await verify(file, { head: head ?? "", keepDays: 30 });
    assert.deepEqual([ok, broken?.id, headFound], [false, "three", true]);
    assert.match(
      broken?.reason ?? "",
      /those before it were removed on .*: it was 0 days old then, and 'calls.keepDays' is 30/,
    );
  });

test("a checkpoint behind which nothing is left is found", async (context) => {
  const file = await recorded(context);
  tamper(
    file,
    "INSERT INTO call_checkpoints (sequence, hash, at, removed) SELECT sequence, hash, at, 4 FROM calls WHERE id = 'four'; DELETE FROM calls",
  );
  const { ok, broken } = await verify(file);
  assert.deepEqual([ok, broken?.id], [false, "none"]);
});
