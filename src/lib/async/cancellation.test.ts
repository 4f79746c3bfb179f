import assert from "node:assert/strict";
import { test } from "node:test";
import { Cancellation, orCancelled } from "./cancellation.ts";

test("listeners are called once, in their order, and those who left are not", () => {
  const cancellation = new Cancellation();
  const told: unknown[] = [];
  const listener = (name: string) => ({ cancel: (reason: unknown) => told.push([name, reason]) });
  const gone = listener("gone");
  cancellation.listen(gone);
  cancellation.listen(listener("first"));
  cancellation.listen(listener("second"));
  cancellation.leave(gone);
  cancellation.cancel("enough");
  cancellation.cancel("again");
  cancellation.listen(listener("late"));
  assert.deepEqual(told, [
    ["first", "enough"],
    ["second", "enough"],
    ["late", "enough"],
  ]);
  assert.deepEqual([cancellation.isCancelled, cancellation.reason], [true, "enough"]);
});

test("a signal that is asked for follows the cancellation, before and after", () => {
  const early = new Cancellation();
  const { signal } = early;
  assert.equal(signal.aborted, false);
  early.cancel("now");
  assert.deepEqual([signal.aborted, signal.reason], [true, "now"]);
  const late = new Cancellation();
  late.cancel("before");
  assert.deepEqual([late.signal.aborted, late.signal.reason], [true, "before"]);
});

test("what follows another is cancelled with it, by a signal or without one, until it no longer follows", () => {
  const controller = new AbortController();
  const bySignal = new Cancellation();
  bySignal.follow(controller.signal);
  const parent = new Cancellation();
  const byParent = new Cancellation();
  const gone = new Cancellation();
  byParent.follow(parent);
  gone.follow(parent);
  gone.unfollow();
  controller.abort("left");
  parent.cancel("over");
  assert.deepEqual([bySignal.reason, byParent.reason, gone.isCancelled], ["left", "over", false]);
  const late = new Cancellation();
  late.follow(AbortSignal.abort("long ago"));
  assert.equal(late.reason, "long ago");
});

test("a wait ends with its promise, or with the cancellation", async () => {
  const cancellation = new Cancellation();
  assert.equal(await orCancelled(Promise.resolve(1), cancellation), 1);
  await assert.rejects(orCancelled(Promise.reject(new Error("no")), cancellation), /no/);
  const waiting = orCancelled(new Promise(() => undefined), cancellation);
  cancellation.cancel(new Error("enough"));
  await assert.rejects(waiting, /enough/);
  await assert.rejects(orCancelled(Promise.resolve(1), cancellation), /enough/);
});
