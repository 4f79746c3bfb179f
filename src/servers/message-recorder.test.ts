import assert from "node:assert/strict";
import { test } from "node:test";
import { createMessageRecorder } from "./message-recorder.ts";

test("the memory of a recording is bounded, and the oldest make room", () => {
  const { recorder, record, read } = createMessageRecorder((text) => text);
  record(true, null);
  const waiting = { get: () => undefined, values: () => [] };
  const session = { user: null };
  for (let at = 1; at <= 1_200; at += 1)
    recorder.take?.(
      session,
      false,
      { jsonrpc: "2.0", method: "notifications/x", params: { at } },
      waiting,
    );
  const small = read(null);
  assert.deepEqual(
    [small.messages.length, small.dropped, small.messages.at(-1)?.number],
    [1_000, 200, 1_200],
  );
  for (let at = 1; at <= 200; at += 1)
    recorder.take?.(
      session,
      false,
      { jsonrpc: "2.0", method: "x", params: { long: "y".repeat(60_000) } },
      waiting,
    );
  const { messages } = read(null);
  assert.ok(JSON.stringify(messages).length < 4.5 * 1024 * 1024);
  record(false, null);
  assert.equal(recorder.take, null);
});

test("a recording ends when it is not looked at, and each look prolongs it", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const { recorder, record, read } = createMessageRecorder((text) => text);
  record(true, null);
  context.mock.timers.tick(4 * 60_000);
  assert.equal(read(null).recording, true);
  context.mock.timers.tick(4 * 60_000);
  assert.notEqual(recorder.take, null);
  context.mock.timers.tick(2 * 60_000);
  assert.equal(recorder.take, null);
  assert.deepEqual([read(null).since, read(null).messages], [null, []]);
});

test("messages of a session of one user are for that user alone", () => {
  const { recorder, record, read } = createMessageRecorder((text) => text);
  record(true, null);
  const waiting = { get: () => undefined, values: () => [] };
  recorder.take?.({ user: "ann" }, false, { jsonrpc: "2.0", method: "hers" }, waiting);
  recorder.take?.({ user: null }, false, { jsonrpc: "2.0", method: "shared" }, waiting);
  const methods = (user: string | null) => read(user).messages.map(({ method }) => method);
  assert.deepEqual(
    [methods("ann"), methods("bob"), methods(null)],
    [["hers", "shared"], ["shared"], ["shared"]],
  );
  record(false, null);
});
