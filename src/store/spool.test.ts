import assert from "node:assert/strict";
import { appendFile, readdir, utimes, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { callEntry } from "../../test/contracts/records.ts";
import { temporaryDirectory } from "../../test/fixtures/start-server.ts";
import { createJournal } from "./journal.ts";
import { createSpool, recoverSpools } from "./spool.ts";
import { openSqliteStore } from "./sqlite.ts";

/** No process has this number. */
const gone = 2 ** 30;

const line = (...ids: string[]) => `${JSON.stringify(ids.map((id) => callEntry(id)))}\n`;

test("what a killed plane left behind is stored once by whoever opens the store next", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("store.db");
  const store = await openSqliteStore(file);
  await store.append([callEntry("a")]);
  await writeFile(`${file}-waiting-${gone}-x.a`, line("a") + line("b", "c"));
  await appendFile(`${file}-waiting-${gone}-x.a`, '[{"kind":"call","call":{"id":"cut o');
  await recoverSpools(file, store);
  const calls = await store.calls();
  assert.deepEqual(
    calls.map(({ id }) => id),
    ["c", "b", "a"],
  );
  assert.equal((await store.verifyCalls()).broken, null);
  assert.deepEqual(
    (await readdir(directory.path)).filter((name) => name.includes("waiting")),
    [],
  );
  await store.close();
});

test("what a plane that runs has not stored yet is left to it, unless it was left there for long", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("store.db");
  const store = await openSqliteStore(file);
  const running = `${file}-waiting-${process.ppid}-x.a`;
  await writeFile(running, line("a"));
  const own = createSpool(file);
  assert.equal(await own.add([callEntry("b")]), true);
  await recoverSpools(file, store);
  assert.deepEqual(await store.calls(), []);
  const longAgo = new Date(Date.now() - 3_600_000);
  await utimes(running, longAgo, longAgo);
  await recoverSpools(file, store);
  assert.deepEqual(
    (await store.calls()).map(({ id }) => id),
    ["a"],
  );
  own.leave()();
  own.close();
  await store.close();
});

test("a spool is empty once everything is stored, and gone once it is closed", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("store.db");
  const store = await openSqliteStore(file);
  const journal = createJournal(store.append, { spool: createSpool(file), restMs: 60_000 });
  await journal.keep([callEntry("first")]);
  await journal.keep([callEntry("second")]);
  assert.deepEqual(
    (await store.calls()).map(({ id }) => id),
    ["first"],
  );
  await journal.flush();
  assert.deepEqual(
    (await store.calls()).map(({ id }) => id),
    ["second", "first"],
  );
  await journal.keep([callEntry("third")]);
  await journal.close();
  assert.equal((await store.calls()).length, 3);
  assert.deepEqual(
    (await readdir(directory.path)).filter((name) => name.includes("waiting")),
    [],
  );
  await store.close();
});
