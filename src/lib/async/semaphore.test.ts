import assert from "node:assert/strict";
import { test } from "node:test";
import { settled } from "../../../test/samples/mocked-time.ts";
import { createSemaphore, SemaphoreFull } from "./semaphore.ts";

test("where there is room, acquiring is immediate and awaits nothing", () => {
  const semaphore = createSemaphore(2, 0);
  assert.deepEqual([semaphore.acquire(), semaphore.acquire()], [undefined, undefined]);
  assert.deepEqual([semaphore.active(), semaphore.waiting()], [2, 0]);
});

test("the others come in one by one, in the order they came", async () => {
  const semaphore = createSemaphore(1, 10);
  const order: number[] = [];
  semaphore.acquire();
  const waiting = [1, 2, 3].map((number) => semaphore.acquire()?.then(() => order.push(number)));
  assert.deepEqual([semaphore.active(), semaphore.waiting()], [1, 3]);
  for (const entered of waiting) {
    semaphore.release();
    await entered;
    assert.equal(semaphore.active(), 1);
  }
  assert.deepEqual(order, [1, 2, 3]);
  semaphore.release();
  assert.deepEqual([semaphore.active(), semaphore.waiting()], [0, 0]);
});

test("a late caller waits behind those that waited before", async () => {
  const semaphore = createSemaphore(1, 10);
  semaphore.acquire();
  const first = settled(semaphore.acquire() ?? assert.fail());
  semaphore.release();
  const second = settled(
    semaphore.acquire() ?? assert.fail("it came in over the head of the first"),
  );
  await new Promise(setImmediate);
  assert.deepEqual([first.state, second.state], ["fulfilled", "pending"]);
});

test("a full queue refuses at once, and has room again after one left", () => {
  const semaphore = createSemaphore(1, 1);
  semaphore.acquire();
  semaphore.acquire();
  assert.throws(() => semaphore.acquire(), SemaphoreFull);
  semaphore.release();
  assert.ok(semaphore.acquire() instanceof Promise);
  assert.throws(() => createFull().acquire(), SemaphoreFull);
});

function createFull() {
  const semaphore = createSemaphore(1, 0);
  semaphore.acquire();
  return semaphore;
}

test("a caller that gives up leaves the queue with the reason, and takes no place", async () => {
  const semaphore = createSemaphore(1, 1);
  const controller = new AbortController();
  semaphore.acquire();
  const entered = semaphore.acquire(controller.signal);
  controller.abort("enough");
  await assert.rejects(entered ?? assert.fail(), (reason) => reason === "enough");
  assert.deepEqual([semaphore.active(), semaphore.waiting()], [1, 0]);
  semaphore.release();
  assert.deepEqual([semaphore.active(), semaphore.acquire()], [0, undefined]);
});

test("a caller that was aborted before does not join the queue", async () => {
  const semaphore = createSemaphore(1, 1);
  semaphore.acquire();
  await assert.rejects(
    semaphore.acquire(AbortSignal.abort("no")) ?? assert.fail(),
    (reason) => reason === "no",
  );
  assert.equal(semaphore.waiting(), 0);
});

test("a caller that was aborted before gets its reason, also where the queue is full", async () => {
  const semaphore = createFull();
  await assert.rejects(
    async () => semaphore.acquire(AbortSignal.abort("no")),
    (reason) => reason === "no",
  );
});

test("giving up once inside changes nothing at the semaphore", async () => {
  const semaphore = createSemaphore(1, 1);
  const controller = new AbortController();
  semaphore.acquire();
  const entered = semaphore.acquire(controller.signal);
  semaphore.release();
  await entered;
  controller.abort();
  assert.deepEqual([semaphore.active(), semaphore.waiting()], [1, 0]);
});
