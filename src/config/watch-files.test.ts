import assert from "node:assert/strict";
import { utimes, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { temporaryDirectory } from "../../test/fixtures/start-server.ts";
import { watchFiles } from "./reload.ts";

test("an edit and a new file are reported, a touch is not", async () => {
  await using directory = await temporaryDirectory();
  const first = directory.file("a.json");
  const second = directory.file("b.json");
  await writeFile(first, "1");
  const list = [first];
  let told = 0;
  let heard = Promise.withResolvers<void>();
  using _ = watchFiles(
    () => list,
    () => {
      told += 1;
      heard.resolve();
    },
  );
  // Timers of the watch do not keep the process alive; this one does.
  const keepAlive = setInterval(() => undefined, 1_000);
  await utimes(first, new Date(), new Date(0));
  // Long enough for a touch to be seen and judged; it must be ignored.
  await delay(2_000);
  assert.equal(told, 0);
  await writeFile(first, "2");
  await heard.promise;
  assert.equal(told, 1);
  heard = Promise.withResolvers();
  await writeFile(second, "3");
  list.push(second);
  await heard.promise;
  assert.equal(told, 2);
  clearInterval(keepAlive);
});
