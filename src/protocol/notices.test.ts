import assert from "node:assert/strict";
import { test } from "node:test";
import { deliverLog, parseProgress } from "./peer.ts";

function listener(by: string | null) {
  const heard: unknown[] = [];
  return { by, heard, onLog: (message: unknown) => heard.push(message) };
}

const message = { level: "info", data: "said" };

test("a log message is for the request that it came with", () => {
  const cause = listener("ann");
  const other = listener("bob");
  assert.equal(deliverLog(message, cause, [other, cause]), true);
  assert.deepEqual([cause.heard.length, other.heard.length], [1, 0]);
});

test("where nothing tells, it is for the one person whose requests wait, and they get it once", () => {
  const first = listener("ann");
  const second = listener("ann");
  assert.equal(deliverLog(message, undefined, [first, second]), true);
  assert.deepEqual([first.heard.length, second.heard.length], [1, 0]);
});

test("a log that may be another person's goes to no listener", () => {
  const ann = listener("ann");
  const bob = listener("bob");
  assert.equal(deliverLog(message, undefined, [ann, bob]), true);
  assert.deepEqual([ann.heard.length, bob.heard.length], [0, 0]);
});

test("a log without a waiting listener has no addressee", () => {
  assert.equal(deliverLog(message, undefined, [{ by: "ann" }]), false);
});

test("progress without its numbers is read as far as it goes", () => {
  assert.deepEqual(parseProgress({ progress: 3, total: "many" }), {
    progress: 3,
    total: null,
    message: null,
  });
});
