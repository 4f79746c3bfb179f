import assert from "node:assert/strict";
import { copyFile, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { mock, test } from "node:test";
import { callEntry } from "../../test/contracts/records.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../../test/fixtures/start-server.ts";
import { createJournal } from "./journal.ts";
import { recoverSpools } from "./recover-spools.ts";
import { createSpool } from "./spool.ts";
import { openSqliteStore } from "./sqlite.ts";

/** No process has this number. */
const gone = 2 ** 30;

async function openedStore(file: string) {
  const store = await openSqliteStore(file);
  return { ...store, [Symbol.asyncDispose]: store.close };
}

/** As versions before checksums wrote it. */
const line = (...ids: string[]) => `${JSON.stringify(ids.map((id) => callEntry(id)))}\n`;

test("what a killed plane left behind is stored once by the next plane on the store", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("store.db");
  const store = await openSqliteStore(file);
  await store.append([callEntry("a")]);
  await writeFile(`${file}-waiting-${gone}-x.a`, line("a") + line("b", "c"));
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

/** A spool as a killed plane leaves it, with a call in each line. */
async function leftBehind(directory: TemporaryDirectory, ids: readonly string[]): Promise<string> {
  const file = directory.file("store.db");
  const spool = createSpool(file);
  await Promise.all(ids.map((id) => spool.add([callEntry(id)])));
  const [name = ""] = (await readdir(directory.path)).filter((one) => one.includes("waiting"));
  const left = `${file}-waiting-${gone}-x.a`;
  await copyFile(directory.file(name), left);
  spool.leave()();
  spool.close();
  return left;
}

const ids = ["a", "b", "c", "d"];
const damages: [string, (text: Buffer) => Buffer, string[], RegExp][] = [
  ["was cut off", (text) => text.subarray(0, -100), ["a", "b", "c"], /1 record in it/],
  [
    "ends in the middle",
    (text) => text.subarray(0, text.length / 2 + 10),
    ["a", "b"],
    /1 record in it/,
  ],
  [
    "has a changed byte in a name",
    (text) => flip(text, text.indexOf("github")),
    ["b", "c", "d"],
    /1 record in it/,
  ],
  [
    "has a changed byte in a checksum",
    (text) => flip(text, text.indexOf('"crc":"') + 9),
    ["b", "c", "d"],
    /1 record in it/,
  ],
  ["has a line break less", (text) => flip(text, text.indexOf("\n")), ["c", "d"], /1 record in it/],
  [
    "has changes everywhere",
    (text) => ids.reduce((all, id) => flip(all, text.indexOf(`"${id}"`)), text),
    [],
    /4 records in it/,
  ],
];

function flip(text: Buffer, at: number): Buffer {
  const changed = Buffer.from(text);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}

for (const [what, damage, stored, said] of damages)
  test(`a spool that ${what} is kept, a warning counts what is lost, and the rest is stored`, async (context) => {
    await using directory = await temporaryDirectory();
    const left = await leftBehind(directory, ids);
    const damaged = damage(await readFile(left));
    await writeFile(left, damaged);
    const warned = context.mock.method(process, "emitWarning", () => undefined);
    await using store = await openedStore(directory.file("store.db"));
    await recoverSpools(directory.file("store.db"), store);
    assert.deepEqual((await store.calls()).map(({ id }) => id).toReversed(), stored);
    assert.match(String(warned.mock.calls[0]?.arguments[0]), said);
    assert.deepEqual(await readFile(`${left}.damaged`), damaged);
    await recoverSpools(directory.file("store.db"), store);
    assert.equal(warned.mock.callCount(), 1, "it is said once");
  });

test("what was left behind is stored at once, also where a part of it is there twice", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("store.db");
  const store = await openSqliteStore(file);
  let commits = 0;
  const append: typeof store.append = (entries) => {
    commits += 1;
    return store.append(entries);
  };
  const many = Array.from({ length: 40 }, (_, at) => `call ${at}`);
  await writeFile(`${file}-waiting-${gone}-x.a`, many.map((id) => line(id)).join(""));
  await recoverSpools(file, { ...store, append });
  assert.deepEqual([commits, (await store.calls()).length], [1, 40]);
  await writeFile(`${file}-waiting-${gone}-y.a`, line("twice") + line("twice") + line("once"));
  await recoverSpools(file, { ...store, append });
  assert.deepEqual(
    (await store.calls({ limit: 3 })).map(({ id }) => id),
    ["once", "twice", "call 39"],
  );
  assert.equal((await store.verifyCalls()).broken, null);
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
  const journal = createJournal(store.append, { spool: createSpool(file), flushDelayMs: 60_000 });
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

test("what comes alone is safe at once, and what comes together is safe at the end of the turn", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("store.db");
  const spool = createSpool(file);
  const readAll = async () => {
    const names = (await readdir(directory.path)).filter((name) => name.includes("waiting"));
    const texts = await Promise.all(names.map((name) => readFile(directory.file(name), "utf8")));
    return texts.join("").split("\n").length - 1;
  };
  // The clock is what tells them apart.
  let now = 1_000;
  const clock = mock.method(performance, "now", () => now);
  assert.equal(await spool.add([callEntry("a")]), true);
  now += 10;
  assert.equal(spool.add([callEntry("b")]), undefined);
  assert.equal(await readAll(), 2);
  now += 10;
  assert.equal(spool.add([callEntry("c")]), undefined);
  const together = [spool.add([callEntry("d")]), spool.add([callEntry("e")])];
  assert.equal(await readAll(), 5);
  assert.deepEqual(await Promise.all(together), [true, true]);
  clock.mock.restore();
  spool.leave()();
  spool.close();
});

test("an idle plane keeps marking its spool, so that no other plane takes it for abandoned", async (context) => {
  await using directory = await temporaryDirectory();
  mock.timers.enable({ apis: ["setInterval"] });
  context.after(() => mock.timers.reset());
  const spool = createSpool(directory.file("store.db"));
  await spool.add([callEntry("a")]);
  spool.leave()();
  const [name = ""] = await readdir(directory.path);
  const longAgo = new Date(Date.now() - 3_600_000);
  await utimes(directory.file(name), longAgo, longAgo);
  mock.timers.tick(30_000);
  assert.ok((await stat(directory.file(name))).mtimeMs > Date.now() - 60_000);
  spool.close();
});

test("a plane that was suspended so long that its spool was taken away goes on in a new one", async () => {
  await using directory = await temporaryDirectory();
  const spool = createSpool(directory.file("store.db"));
  await spool.add([callEntry("a")]);
  spool.leave()();
  await rm(directory.file((await readdir(directory.path))[0] ?? ""));
  await spool.add([callEntry("b")]);
  spool.leave()();
  await spool.add([callEntry("c")]);
  const files = await readdir(directory.path);
  const texts = await Promise.all(files.map((name) => readFile(directory.file(name), "utf8")));
  const [written, ...others] = texts.join("").split("\n");
  assert.deepEqual(
    JSON.parse(written ?? "")[0],
    callEntry("c"),
    "what is written now has a name on the disk",
  );
  assert.deepEqual(others, [""]);
  spool.leave()();
  spool.close();
});

test("a directory that cannot be read costs a warning and not the plane", async (context) => {
  await using directory = await temporaryDirectory();
  const store = await openSqliteStore(directory.file("store.db"));
  const warned = context.mock.method(process, "emitWarning", () => undefined);
  await recoverSpools(directory.file("nowhere/store.db"), store);
  assert.match(
    String(warned.mock.calls[0]?.arguments[0]),
    /nowhere cannot be read: there is no such file/,
  );
  await store.close();
});
