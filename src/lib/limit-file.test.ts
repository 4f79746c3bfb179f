import assert from "node:assert/strict";
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../test/fixtures/start-server.ts";
import { limitFile } from "./limit-file.ts";

test("a log above its size begins again, and what is written then stands at its beginning", async () => {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, "log");
  const log = openSync(file, "a");
  writeSync(log, "x".repeat(100));
  limitFile(log, 100);
  assert.equal(readFileSync(file, "utf8").length, 100);
  writeSync(log, "y");
  limitFile(log, 100);
  writeSync(log, "new");
  assert.equal(readFileSync(file, "utf8"), "new");
  closeSync(log);
  limitFile(log, 0);
});
