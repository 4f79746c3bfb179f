import assert from "node:assert/strict";
import { chmodSync, mkdirSync, statSync } from "node:fs";
import { test } from "node:test";
import { temporaryDirectory } from "../../test/fixtures/start-server.ts";
import { claimDirectory, isWritableByOthers, userTemporaryDirectory } from "./private-directory.ts";

test("files for a person go to a directory of that user alone", {
  skip: !process.getuid,
}, async () => {
  await using directory = await temporaryDirectory();
  assert.match(userTemporaryDirectory(), new RegExp(`toolplane-${process.getuid?.()}$`));
  const own = directory.file("own");
  mkdirSync(own, { mode: 0o755 });
  assert.equal(claimDirectory(own), null);
  assert.equal(statSync(own).mode & 0o777, 0o700);
});

test("a data directory that others can write is warned about", {
  skip: !process.getuid,
}, async () => {
  await using directory = await temporaryDirectory();
  const data = directory.file("data");
  mkdirSync(data);
  chmodSync(data, 0o700);
  assert.equal(isWritableByOthers(data), false);
  chmodSync(data, 0o770);
  assert.equal(isWritableByOthers(data), true);
  assert.equal(isWritableByOthers(directory.file("none")), false);
});
