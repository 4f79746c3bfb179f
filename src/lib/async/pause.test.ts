import assert from "node:assert/strict";
import { test } from "node:test";
import { maxTimerMs, pause } from "./pause.ts";

test("a pause ends with its time, or earlier and quietly with its signal", async () => {
  await Promise.all([pause(1), new Promise((resolve) => setTimeout(resolve, 5))]);
  const controller = new AbortController();
  const waiting = pause(maxTimerMs * 2, controller);
  controller.abort(new Error("enough"));
  assert.equal(await waiting, undefined);
  assert.equal(await pause(maxTimerMs, controller), undefined);
});
