import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { answeredCall, callEntry, callRecord, heldCall } from "../../test/contracts/records.ts";
import { storeContract } from "../../test/contracts/store.ts";
import type { Store } from "../model/store.ts";
import { openSqliteStore } from "./sqlite.ts";

const writer = fileURLToPath(new URL("../../test/contracts/store-writer.ts", import.meta.url));
const isRoot = process.getuid?.() === 0;

storeContract("a store on an SQLite file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "store-"));
  const open = () => openSqliteStore(join(folder, "store.sqlite"));
  let store = await open();
  return {
    store,
    async reopen() {
      await store.close();
      store = await open();
      return store;
    },
    async dispose() {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
});

async function folderFor(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "store-"));
  context.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function openFor(context: TestContext, file: string): Promise<Store> {
  const store = await openSqliteStore(file);
  context.after(() => store.close());
  return store;
}

/** Refused, with a message that names the file and then says what to do. */
async function assertRefused(file: string, remedy: RegExp): Promise<void> {
  await assert.rejects(openSqliteStore(file), (error: Error & { code?: string }) => {
    assert.equal(error.code, "STORE_FAILED");
    assert.ok(error.message.includes(`'${file}'`), error.message);
    assert.match(error.message, remedy);
    return true;
  });
}

test("a store in memory works and leaves no file", async (context) => {
  const store = await openFor(context, ":memory:");
  await store.append([callEntry("one")]);
  assert.deepEqual(await store.call("one"), callRecord("one"));
  await assert.rejects(stat(":memory:"), { code: "ENOENT" });
});

test("what it creates is closed to other users", {
  skip: process.platform === "win32",
}, async (context) => {
  const folder = await folderFor(context);
  const file = join(folder, "new", "deep", "store.sqlite");
  const store = await openFor(context, file);
  await store.append([callEntry("one")]);
  const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
  assert.equal(await modeOf(join(folder, "new")), "700");
  assert.equal(await modeOf(join(folder, "new", "deep")), "700");
  for (const ending of ["", "-wal", "-shm"]) assert.equal(await modeOf(file + ending), "600");
});

test("a file that is no database is refused and left as it is", async (context) => {
  const file = join(await folderFor(context), "notes.txt");
  await writeFile(file, "not a database ".repeat(400));
  await assertRefused(file, /is not an SQLite database\. Name another file/);
  assert.equal(await readFile(file, "utf8"), "not a database ".repeat(400));
});

test("a damaged database is refused with what to do about it", async (context) => {
  const file = join(await folderFor(context), "store.sqlite");
  await (await openSqliteStore(file)).close();
  const bytes = await readFile(file);
  await writeFile(file, bytes.fill(0xff, 100, 4096));
  await assertRefused(file, /is damaged\. Restore a copy/);
});

test("damage found later is reported in the same way", async (context) => {
  const file = join(await folderFor(context), "store.sqlite");
  const first = await openSqliteStore(file);
  await first.append(Array.from({ length: 50 }, (_, index) => callEntry(`call-${index}`)));
  await first.close();
  const database = new DatabaseSync(file);
  const { rootpage } =
    database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'calls'").get() ?? {};
  database.close();
  const bytes = await readFile(file);
  await writeFile(file, bytes.fill(0xff, 4096 * (Number(rootpage) - 1), 4096 * Number(rootpage)));
  const store = await openFor(context, file);
  await assert.rejects(store.calls(), {
    code: "STORE_FAILED",
    message: /is damaged\. Restore a copy/,
  });
});

test("a directory, and a path through a file, are refused", async (context) => {
  const folder = await folderFor(context);
  await writeFile(join(folder, "file"), "");
  await assertRefused(folder, /is a directory\. Name a file inside it/);
  await assertRefused(join(folder, "file", "store.sqlite"), /Name another path/);
  await assertRefused(join(folder, "file", "deep", "store.sqlite"), /Name another path/);
});

test("a read-only place is refused at once", {
  skip: isRoot && "root may write anywhere",
}, async (context) => {
  const folder = join(await mkdtemp(join(tmpdir(), "store-")), "locked");
  context.after(async () => {
    await chmod(folder, 0o700);
    await rm(dirname(folder), { recursive: true });
  });
  await mkdir(folder);
  const file = join(folder, "store.sqlite");
  await (await openSqliteStore(file)).close();
  await chmod(file, 0o400);
  await assertRefused(file, /Give this user write access/);
  await chmod(file, 0o600);
  await chmod(folder, 0o500);
  await assertRefused(file, /Give this user write access/);
  await assertRefused(join(folder, "other.sqlite"), /Give this user write access/);
});

test("a place that cannot be written is refused", {
  skip: process.platform !== "linux",
}, async () => {
  await assertRefused("/proc/none/store.sqlite", /Give this user write access/);
});

test("a file of a newer version is refused and not touched", async (context) => {
  const file = join(await folderFor(context), "store.sqlite");
  await (await openSqliteStore(file)).close();
  const database = new DatabaseSync(file);
  database.exec("INSERT INTO migrations (id, at) VALUES (999, 'tomorrow')");
  database.close();
  await assertRefused(file, /newer version: it has format 999.*Update this installation/);
});

test("a database of another program is refused and not touched", async (context) => {
  const file = join(await folderFor(context), "theirs.sqlite");
  const database = new DatabaseSync(file);
  database.exec("CREATE TABLE albums (title TEXT)");
  database.close();
  const before = await readFile(file);
  await assertRefused(file, /database of another program\. Name another file/);
  assert.deepEqual(await readFile(file), before);
});

test("two connections see each other's writes, and one answer wins", async (context) => {
  const file = join(await folderFor(context), "store.sqlite");
  const [server, cli] = await Promise.all([openFor(context, file), openFor(context, file)]);
  const asked = heldCall("asked");
  await server.addHeldCall(asked);
  assert.equal(await cli.replaceHeldCall(answeredCall(asked, "approve")), true);
  assert.equal(await server.replaceHeldCall(answeredCall(asked, "reject")), false);
  assert.equal((await server.heldCall("asked"))?.status, "approved");
  await cli.append([callEntry("from-cli")]);
  await server.append([callEntry("from-server")]);
  assert.deepEqual(
    (await cli.calls()).map((call) => call.id),
    ["from-server", "from-cli"],
  );
});

test("opening waits for a process that is still setting the same file up", async (context) => {
  const file = join(await folderFor(context), "store.sqlite");
  await (await openSqliteStore(file)).close();
  const other = new DatabaseSync(file);
  other.exec("PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE");
  const opening = openFor(context, file);
  await Promise.race([opening, pause(50)]);
  other.exec("COMMIT");
  other.close();
  assert.deepEqual(await (await opening).calls(), []);
});

test("processes that start on a new file at once all write to it", async (context) => {
  const file = join(await folderFor(context), "new", "store.sqlite");
  const children = ["a", "b", "c", "d"].map((prefix) =>
    spawn(process.execPath, [writer, file, prefix, "40"], {
      stdio: ["ignore", "ignore", "inherit"],
    }),
  );
  const endings = await Promise.all(children.map((child) => once(child, "close")));
  assert.deepEqual(
    endings.map(([code]) => code),
    [0, 0, 0, 0],
  );
  const store = await openFor(context, file);
  assert.equal((await store.calls()).length, 4 * 40 * 3);
  assert.equal((await store.heldCalls({ status: "approved" })).length, 4 * 40);
});
