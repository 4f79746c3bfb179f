import assert from "node:assert/strict";
import { test } from "node:test";
import { fixture, planeOf } from "../scenarios/support.ts";

test("a dead letter keeps what the server said, marked as the server's; the record of the call does not", async () => {
  await using plane = await planeOf({ echo: fixture("echo") });
  const { call } = await plane.call("echo.throw", {});
  const [letter] = (await plane.deadLetters.page()).deadLetters;
  assert.match(letter?.error.message ?? "", /Server 'echo' said: “the server failed”$/);
  assert.deepEqual(letter?.error.data.said, { by: "echo", text: "the server failed" });
  const record = await plane.calls.get(call.id);
  assert.doesNotMatch(JSON.stringify(record), /the server failed/);
});
