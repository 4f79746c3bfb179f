import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { startPostgres } from "../../../test/fixtures/postgres.ts";
import { temporaryDirectory } from "../../../test/fixtures/start-server.ts";
import { parseStoreAddress } from "../../model/config/settings.ts";
import { openPostgresStore } from "../../store/postgres.ts";
import { createLock, createStoreLock } from "./lock.ts";

for (const shared of [true, false]) {
  test(`work under one name never overlaps, ${shared ? "between processes" : "in one process"}`, async () => {
    await using directory = await temporaryDirectory();
    const one = createLock(shared ? directory.path : undefined);
    const locks = shared ? [one, createLock(directory.path)] : [one];
    let inside = 0;
    let most = 0;
    const work = async () => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise(setImmediate);
      inside -= 1;
    };
    await Promise.all([1, 2, 3].flatMap(() => locks.map((lock) => lock("name", work))));
    assert.equal(most, 1);
    assert.deepEqual(readdirSync(directory.path), []);
  });
}

test("different names do not wait for each other, and a failure lets the next one in", async () => {
  const lock = createLock(undefined);
  const first = Promise.withResolvers<string>();
  const waiting = lock("a", () => first.promise);
  assert.equal(await lock("b", async () => "b"), "b");
  const next = lock("a", async () => "next");
  first.reject(new Error("broken"));
  await assert.rejects(waiting, /broken/);
  assert.equal(await next, "next");
});

test("of planes on several machines one renews at a time, and errors keep their cause", async () => {
  await using server = await startPostgres();
  const address = parseStoreAddress(server.address());
  assert.ok("kind" in address && address.kind === "postgres");
  const stores = await Promise.all([openPostgresStore(address), openPostgresStore(address)]);
  try {
    const locks = stores.map((store) => createStoreLock(createLock(undefined), async () => store));
    let [inside, most] = [0, 0];
    const work = async () => {
      inside += 1;
      most = Math.max(most, inside);
      await stores[0]?.secrets("");
      inside -= 1;
      return "done";
    };
    const all = Array.from({ length: 12 }, (_, at) => locks[at % 2]?.(`it's ${at % 3 === 0}`, work));
    assert.deepEqual(new Set(await Promise.all(all)), new Set(["done"]));
    assert.ok(most <= 2, `${most} at once under two names`);
    const failing = async () => Promise.reject(new Error("the server said no"));
    await assert.rejects(async () => locks[0]?.("one", failing), { message: "the server said no" });
    assert.equal(await locks[1]?.("one", work), "done");
  } finally {
    await Promise.all(stores.map((store) => store.close()));
  }
});
