import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/fixtures/start-server.ts";
import { createLock } from "./lock.ts";

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
