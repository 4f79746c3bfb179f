import assert from "node:assert/strict";
import { test } from "node:test";
import { openPostgresStore } from "../../../packages/postgres/src/postgres.ts";
import { startPostgres } from "../../../test/fixtures/postgres.ts";
import { parseStoreAddress } from "../../model/config/settings.ts";
import { createLock, createStoreLock } from "./lock.ts";

test("of planes on several machines one renews at a time, and errors keep their cause", async () => {
  await using server = await startPostgres();
  const address = parseStoreAddress(server.address());
  assert.ok("kind" in address && address.kind === "postgres");
  const stores = await Promise.all([openPostgresStore(address), openPostgresStore(address)]);
  try {
    const locks = stores.map((store) => createStoreLock(createLock(undefined), async () => store));
    let inside = 0;
    let most = 0;
    const work = async () => {
      inside += 1;
      most = Math.max(most, inside);
      await stores[0]?.secrets("");
      inside -= 1;
      return "done";
    };
    const all = Array.from({ length: 12 }, (_, at) =>
      locks[at % 2]?.(`it's ${at % 3 === 0}`, work),
    );
    assert.deepEqual(new Set(await Promise.all(all)), new Set(["done"]));
    assert.ok(most <= 2, `${most} at once under two names`);
    const failing = async () => Promise.reject(new Error("the server said no"));
    await assert.rejects(async () => locks[0]?.("one", failing), { message: "the server said no" });
    assert.equal(await locks[1]?.("one", work), "done");
  } finally {
    await Promise.all(stores.map((store) => store.close()));
  }
});
