import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { after, before, suite, test } from "node:test";
import { callColumns, columnFields } from "@toolplane/core/model/calls/call-columns";
import { parseStoreAddress } from "@toolplane/core/model/config/settings";
import type { Store } from "@toolplane/core/model/store";
import { callEntry } from "@toolplane/test/contracts/records";
import { type RunningPostgres, startPostgres } from "@toolplane/test/fixtures/postgres";
import { temporaryDirectory } from "@toolplane/test/fixtures/start-server";
import { openSqliteStore } from "@toolplane/test/samples/core";
import { openPostgresStore } from "./postgres.ts";

/** A value for every column, so that none is null by chance. */
const columnValues = Object.fromEntries(columnFields.map((field) => [field, `of ${field}`]));

/** A call is found by each of its columns, and its row is the copy of its record. */
async function checkColumns(store: Store): Promise<void> {
  const fields = { ...columnValues, status: "failed" } as const;
  await store.append([callEntry("call-1", fields), callEntry("call-2")]);
  for (const field of columnFields) {
    const filter = { [field]: fields[field as keyof typeof fields] };
    const ids = (await store.calls(filter)).map(({ id }) => id);
    assert.deepEqual(ids, ["call-1"], `by ${field}`);
  }
  assert.equal((await store.verifyCalls({})).ok, true);
}

suite("the columns of a call", () => {
  let server: RunningPostgres;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server[Symbol.asyncDispose]());

  test("are the same on Postgres, in its table and in its function", async () => {
    const address = parseStoreAddress(server.address());
    assert.ok("kind" in address && address.kind === "postgres");
    const store = await openPostgresStore(address);
    try {
      await checkColumns(store);
    } finally {
      await store.close();
    }
    const columns = await server.run(
      "SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'calls'",
    );
    const names = columns.map(({ name }) => String(name));
    assert.deepEqual(
      callColumns.filter((column) => !names.includes(column)),
      [],
    );
    const [append] = await server.run(
      "SELECT prosrc AS source FROM pg_proc WHERE proname = 'append_records'",
    );
    const [, inserted = ""] = /INSERT INTO calls \(([^)]*)\)/.exec(String(append?.source)) ?? [];
    assert.deepEqual(
      callColumns.filter((column) => !inserted.split(", ").includes(column)),
      [],
    );
  });

  test("are the same in a file of SQLite", async () => {
    await using directory = await temporaryDirectory();
    const file = directory.file("toolplane.db");
    const store = await openSqliteStore(file);
    await checkColumns(store);
    await store.close();
    using database = new DatabaseSync(file);
    const names = database
      .prepare("PRAGMA table_info(calls)")
      .all()
      .map(({ name }) => name);
    // 'user' is a word of Postgres, and no name for a column there.
    const inSqlite = callColumns.map((column) => column.replace("user_name", "user"));
    assert.deepEqual(
      inSqlite.filter((column) => !names.includes(column)),
      [],
    );
  });
});
