import assert from "node:assert/strict";
import { test } from "node:test";
import { Cancellation, OpenCancellation, orCancelled } from "./cancellation.ts";

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

test("what another cancels stands among the open ones until it is closed", () => {
  const open = new Set<OpenCancellation>();
  const controller = new AbortController();
  const bySignal = new OpenCancellation(controller.signal, open);
  const parent = new Cancellation();
  const byParent = new OpenCancellation(parent, open);
  const closed = new OpenCancellation(parent, open);
  closed.close();
  assert.equal(open.size, 2);
  controller.abort("left");
  parent.cancel("over");
  assert.deepEqual([bySignal.reason, byParent.reason, closed.isCancelled], ["left", "over", false]);
  assert.equal(new OpenCancellation(AbortSignal.abort("long ago"), open).reason, "long ago");
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
