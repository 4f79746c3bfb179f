import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/fixtures/start-server.ts";
import { migrate } from "../sqlite/open-database.ts";
import { openSqliteStore } from "../sqlite.ts";
import { sqliteMigrations } from "./sqlite-migrations.ts";

test("samples of an earlier version are there in their order, and new ones come after them", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("toolplane.db");
  const old = new DatabaseSync(file);
  migrate(old, file, sqliteMigrations.slice(0, 3));
  const insert = old.prepare("INSERT INTO samples VALUES (?, ?, ?, 1, ?)");
  for (const number of [7, 8, 9]) insert.run("tool:a", number, `${number}`, number);
  insert.run("tool:b", 1, "1", 1);
  old.close();

  const store = await openSqliteStore(file);
  try {
    const before = await store.newSamples(0);
    const ofA = before.samples.filter(({ subject }) => subject === "tool:a");
    assert.deepEqual(
      [before.samples.length, ofA.map(({ latencyMs }) => latencyMs)],
      [4, [7, 8, 9]],
    );
    const sample = { subject: "tool:b", at: "2", ok: false, latencyMs: 2 };
    await store.append([{ kind: "sample", sample }]);
    assert.deepEqual((await store.newSamples(before.newest)).samples, [sample]);
  } finally {
    await store.close();
  }
});
