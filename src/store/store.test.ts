import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { temporaryDirectory } from "../../test/fixtures/start-server.ts";
import { createRecorder } from "./store.ts";

test("a store that could not be opened is opened when it is needed again", async (context) => {
  await using directory = await temporaryDirectory();
  let now = 1_000;
  context.mock.method(performance, "now", () => now);
  const place = directory.file("data");
  writeFileSync(place, "in the way");
  const recorder = createRecorder(place);
  await assert.rejects(recorder.store(), { code: "STORE_FAILED" });
  rmSync(place);
  await assert.rejects(recorder.store(), { code: "STORE_FAILED" }, "not tried for every record");
  now += 1_000;
  assert.deepEqual(await (await recorder.store()).calls(), []);
  await recorder.close();
});
