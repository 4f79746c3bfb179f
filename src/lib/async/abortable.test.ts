import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { abortable } from "./signals.ts";

test("without a signal, or with one that stays silent, it is the promise itself", async () => {
  const failure = new Error("no");
  for (const signal of [undefined, new AbortController().signal]) {
    assert.equal(await abortable(Promise.resolve(1), signal), 1);
    await assert.rejects(abortable(Promise.reject(failure), signal), failure);
  }
});

test("the signal ends the wait with its reason, now or later", async () => {
  const pending = new Promise<never>(() => undefined);
  await assert.rejects(
    abortable(pending, AbortSignal.abort("before")),
    (reason) => reason === "before",
  );
  const controller = new AbortController();
  const waiting = abortable(pending, controller.signal);
  controller.abort("later");
  await assert.rejects(waiting, (reason) => reason === "later");
});

test("a failure after the wait has ended has no effect", async () => {
  const late = Promise.withResolvers<never>();
  const waiting = abortable(late.promise, AbortSignal.abort("enough"));
  await assert.rejects(waiting, (reason) => reason === "enough");
  late.reject(new Error("too late to matter"));
  await new Promise((resolve) => setImmediate(resolve));
});

test("nothing stays attached to the signal", async () => {
  const { signal } = new AbortController();
  await abortable(Promise.resolve(1), signal);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(getEventListeners(signal, "abort").length, 0);
});
