import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleMetadata, sampleTool } from "../../../test/samples/calls.ts";
import { PlaneError } from "../../model/errors.ts";
import { createTurns, isSerial } from "./limits.ts";

const { signal } = new AbortController();
const one = sampleTool();
const other = sampleTool({ id: { server: "notes", tool: "read" } });

test("only a tool that is said not to run beside itself waits for itself", () => {
  const serial = sampleMetadata({ allow_parallel: false });
  const parallel = sampleMetadata({ allow_parallel: true });
  assert.equal(isSerial(sampleTool({ metadata: serial })), true);
  assert.equal(isSerial(sampleTool()), false);
  assert.equal(isSerial(sampleTool({ metadata: parallel })), false);
});

test("turns come in the order of arrival, for each tool on its own", async () => {
  const turns = createTurns();
  assert.equal(turns.enter(one, signal), undefined, "the first need not wait");
  assert.equal(turns.enter(other, signal), undefined, "another tool has another line");
  const order: number[] = [];
  const waiting = [1, 2, 3].map(async (at) => {
    await turns.enter({ ...one }, signal);
    order.push(at);
    turns.leave(one);
  });
  turns.leave(one);
  await Promise.all(waiting);
  assert.deepEqual(order, [1, 2, 3]);
});

test("a caller that gives up leaves the line, and the next one moves up", async () => {
  const turns = createTurns();
  turns.enter(one, signal);
  const impatient = new AbortController();
  const first = turns.enter(one, impatient.signal);
  const second = turns.enter(one, signal);
  impatient.abort(new Error("enough"));
  await assert.rejects(first ?? Promise.resolve(), /enough/);
  turns.leave(one);
  await second;
});

test("nothing is kept of a tool without calls", async () => {
  const turns = createTurns();
  turns.enter(one, signal);
  const second = turns.enter(one, signal);
  turns.leave(one);
  await second;
  assert.equal(turns.size(), 1);
  turns.leave(one);
  assert.equal(turns.size(), 0);
});

test("a line that has grown too long is closed, and says so", () => {
  const turns = createTurns();
  for (let at = 0; at <= 1_000; at += 1) turns.enter(one, signal);
  assert.throws(
    () => turns.enter(one, signal),
    (thrown) =>
      thrown instanceof PlaneError &&
      thrown.code === "BUSY" &&
      /one call at a time/.test(thrown.message),
  );
});
