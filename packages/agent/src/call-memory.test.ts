import assert from "node:assert/strict";
import { test } from "node:test";
import type { AskedCall } from "@toolplane/core/model/agent/chat";
import type { Outcome } from "@toolplane/core/model/calls/call";
import { createRepeatDetector } from "./run-calls.ts";

const call = (name: string, text = "{}"): AskedCall => ({
  id: "1",
  type: "function",
  function: { name, arguments: text },
});
const worked = { ok: true } as Outcome;
const late = { ok: false, error: { recoverable: true } } as Outcome;

async function make(
  memory: ReturnType<typeof createRepeatDetector>,
  asked: AskedCall,
  changes: boolean,
  ended = worked,
) {
  const round = memory.round();
  await round.keep(asked, changes, Promise.resolve(ended));
  round.end();
}
const knows = (memory: ReturnType<typeof createRepeatDetector>, asked: AskedCall) =>
  memory.round().before(asked) !== undefined;

test("the same arguments are the same however they are written", async () => {
  const memory = createRepeatDetector();
  await make(memory, call("look", '{"b": 1, "a": [2]}'), false);
  assert.equal(knows(memory, call("look", '{"a":[2],"b":1}')), true);
  assert.equal(knows(memory, call("look", '{"a":[2],"b":2}')), false);
  assert.equal(knows(memory, call("find", '{"a":[2],"b":1}')), false);
  await make(memory, call("look", "{no"), false);
  assert.equal(knows(memory, call("look", "{no")), true);
});

test("what was read is forgotten when something may have been changed, and what was changed when something else was", async () => {
  const memory = createRepeatDetector();
  await make(memory, call("read"), false);
  await make(memory, call("on"), true);
  assert.equal(knows(memory, call("read")), false);
  assert.equal(knows(memory, call("on")), true);
  await make(memory, call("read"), false);
  assert.equal(knows(memory, call("on")), true);
  await make(memory, call("off"), true);
  assert.equal(knows(memory, call("on")), false);
});

test("what may go better the next time may be tried again", async () => {
  const memory = createRepeatDetector();
  await make(memory, call("look"), false, late);
  assert.equal(knows(memory, call("look")), false);
});

test("a call that is still under way is known already", () => {
  const round = createRepeatDetector().round();
  void round.keep(call("look"), false, new Promise(() => undefined));
  assert.notEqual(round.before(call("look")), undefined);
});
