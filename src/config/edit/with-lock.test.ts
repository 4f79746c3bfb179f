import assert from "node:assert/strict";
import { existsSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/fixtures/start-server.ts";
import { withLock } from "./write-file.ts";

test("the lock is there while the change is made and gone afterwards, also when it fails", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("config.json");
  assert.equal(await withLock(file, () => existsSync(`${file}.lock`)), true);
  await assert.rejects(
    withLock(file, () => assert.fail("broken")),
    /broken/,
  );
  assert.equal(existsSync(`${file}.lock`), false);
});

test("a lock that a dead program left is taken away", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("config.json");
  writeFileSync(`${file}.lock`, "");
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(`${file}.lock`, longAgo, longAgo);
  assert.equal(await withLock(file, () => "changed"), "changed");
});

test("while another program holds the lock, this one goes on with other work, and then makes its change", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("config.json");
  writeFileSync(`${file}.lock`, "");
  const order: string[] = [];
  const changing = withLock(file, () => order.push("changed"));
  setImmediate(() => {
    order.push("other work");
    rmSync(`${file}.lock`);
  });
  await changing;
  assert.deepEqual(order, ["other work", "changed"]);
});
