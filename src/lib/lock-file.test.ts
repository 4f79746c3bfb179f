import assert from "node:assert/strict";
import { existsSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { temporaryDirectory } from "../../test/fixtures/start-server.ts";
import { tryLock } from "./lock-file.ts";

const longAgo = new Date(Date.now() - 60_000);

test("one holder at a time, and the next when it was let go", async () => {
  await using directory = await temporaryDirectory();
  const lock = directory.file("lock");
  const release = tryLock(lock, 30_000) ?? assert.fail("not taken");
  assert.equal(tryLock(lock, 30_000), null);
  release();
  release();
  assert.equal(existsSync(lock), false);
  tryLock(lock, 30_000)?.();
  assert.deepEqual(readdirSync(directory.path), []);
});

test("a lock of a dead program is taken away, also when it died while taking one away", async () => {
  await using directory = await temporaryDirectory();
  const lock = directory.file("lock");
  for (const file of [lock, `${lock}.break`]) {
    writeFileSync(file, "");
    utimesSync(file, longAgo, longAgo);
  }
  const taken = [1, 2, 3].map(() => tryLock(lock, 30_000) !== null);
  assert.deepEqual(taken, [false, false, true]);
});

test("who was taken for dead does not remove the lock of the next", async () => {
  await using directory = await temporaryDirectory();
  const lock = directory.file("lock");
  const slow = tryLock(lock, 30_000) ?? assert.fail("not taken");
  utimesSync(lock, longAgo, longAgo);
  tryLock(lock, 30_000);
  const next = tryLock(lock, 30_000) ?? assert.fail("not taken");
  slow();
  assert.equal(existsSync(lock), true);
  next();
  assert.equal(existsSync(lock), false);
});
