import assert from "node:assert/strict";
import { test } from "node:test";
import { fixture, planeOf } from "../scenarios/support.ts";

test("a tool error counts as an error in the series of calls as it does in the health of the tool", async () => {
  await using plane = await planeOf({ echo: fixture("echo") });
  const outcome = await plane.call("echo.fail", { reason: "no" });
  assert.equal(outcome.call.status, "tool_error");
  await plane.call("echo.add", { a: 1, b: 2 });
  const { total } = await plane.calls.series();
  assert.deepEqual([total.calls, total.errors], [2, 1]);
  assert.equal((await plane.tools.get("echo.fail")).health.success_rate, 0);
});
