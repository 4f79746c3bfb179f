import assert from "node:assert/strict";
import { test } from "node:test";
import { settled } from "../../../test/samples/mocked-time.ts";
import { createGate, GateFull } from "./semaphore.ts";

test("where there is room nobody waits, and nothing has to be awaited", () => {
  const gate = createGate(2, 0);
  assert.deepEqual([gate.enter(), gate.enter()], [undefined, undefined]);
  assert.deepEqual([gate.inside(), gate.waiting()], [2, 0]);
});

test("the others come in one by one, in the order they came", async () => {
  const gate = createGate(1, 10);
  const order: number[] = [];
  gate.enter();
  const waiting = [1, 2, 3].map((number) => gate.enter()?.then(() => order.push(number)));
  assert.deepEqual([gate.inside(), gate.waiting()], [1, 3]);
  for (const entered of waiting) {
    gate.leave();
    await entered;
    assert.equal(gate.inside(), 1);
  }
  assert.deepEqual(order, [1, 2, 3]);
  gate.leave();
  assert.deepEqual([gate.inside(), gate.waiting()], [0, 0]);
});

test("whoever comes when a place was just given away waits behind those who waited", async () => {
  const gate = createGate(1, 10);
  gate.enter();
  const first = settled(gate.enter() ?? assert.fail());
  gate.leave();
  const second = settled(gate.enter() ?? assert.fail("it came in over the head of the first"));
  await new Promise(setImmediate);
  assert.deepEqual([first.state, second.state], ["fulfilled", "pending"]);
});

test("a full queue is told at once, and has room again when somebody left", () => {
  const gate = createGate(1, 1);
  gate.enter();
  gate.enter();
  assert.throws(() => gate.enter(), GateFull);
  gate.leave();
  assert.ok(gate.enter() instanceof Promise);
  assert.throws(() => createFull().enter(), GateFull);
});

function createFull() {
  const gate = createGate(1, 0);
  gate.enter();
  return gate;
}

test("whoever gives up leaves the queue with the reason, and takes nobody's place", async () => {
  const gate = createGate(1, 1);
  const controller = new AbortController();
  gate.enter();
  const entered = gate.enter(controller.signal);
  controller.abort("enough");
  await assert.rejects(entered ?? assert.fail(), (reason) => reason === "enough");
  assert.deepEqual([gate.inside(), gate.waiting()], [1, 0]);
  gate.leave();
  assert.deepEqual([gate.inside(), gate.enter()], [0, undefined]);
});

test("whoever has given up before does not join the queue", async () => {
  const gate = createGate(1, 1);
  gate.enter();
  await assert.rejects(gate.enter(AbortSignal.abort("no")) ?? assert.fail(), (reason) => reason === "no");
  assert.equal(gate.waiting(), 0);
});

test("whoever has given up before is told that, also where the queue is full", async () => {
  const gate = createFull();
  await assert.rejects(
    async () => gate.enter(AbortSignal.abort("no")),
    (reason) => reason === "no",
  );
});

test("giving up once inside changes nothing at the gate", async () => {
  const gate = createGate(1, 1);
  const controller = new AbortController();
  gate.enter();
  const entered = gate.enter(controller.signal);
  gate.leave();
  await entered;
  controller.abort();
  assert.deepEqual([gate.inside(), gate.waiting()], [1, 0]);
});
