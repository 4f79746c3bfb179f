import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { PlaneError } from "../../model/errors.ts";
import { sqliteFailure } from "./store-failure.ts";

function thrownBy(work: () => void): unknown {
  try {
    work();
  } catch (thrown) {
    return thrown;
  }
  return assert.fail("nothing was thrown");
}

test("a full disk says to free some space", (context) => {
  const database = new DatabaseSync(":memory:");
  context.after(() => database.close());
  database.exec("CREATE TABLE rows (bytes BLOB); PRAGMA max_page_count = 10");
  const failure = sqliteFailure(
    "plane.db",
    thrownBy(() => database.exec("INSERT INTO rows VALUES (zeroblob(99999))")),
  );
  assert.equal(failure.code, "STORE_FAILED");
  assert.equal(
    failure.message,
    "The store 'plane.db' has no room left on its disk. Free some space, then try again (database or disk is full).",
  );
});

test("a lock that is held too long says who to look for", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "store-"));
  const holder = new DatabaseSync(join(folder, "db"));
  const waiter = new DatabaseSync(join(folder, "db"));
  context.after(() => {
    holder.close();
    waiter.close();
    rmSync(folder, { recursive: true });
  });
  holder.exec("BEGIN IMMEDIATE");
  const failure = sqliteFailure(
    "plane.db",
    thrownBy(() => waiter.exec("PRAGMA busy_timeout = 0; BEGIN IMMEDIATE")),
  );
  assert.match(
    failure.message,
    /'plane\.db' was locked by another process for more than 5 s\. Stop the process/,
  );
  assert.equal(failure.data.locked, true);
});

test("an error of ours passes through, and anything else keeps its cause", () => {
  const ours = new PlaneError("STORE_FAILED", "said already");
  assert.equal(sqliteFailure("plane.db", ours), ours);
  const cause = new TypeError("odd");
  const failure = sqliteFailure("plane.db", cause);
  assert.equal(failure.cause, cause);
  assert.match(failure.message, /'plane\.db'.*\(odd\)/);
});
