import assert from "node:assert/strict";
import { test } from "node:test";
import { nowText } from "./ids-and-time.ts";

test("the time is written as a date writes it, whatever the millisecond", (context) => {
  context.mock.timers.enable({ apis: ["Date"] });
  for (const at of [0, 7, 999, 1_000, 1_763_218_800_042, 1_763_218_800_999, 1_763_218_801_000]) {
    context.mock.timers.setTime(at);
    assert.equal(nowText(), new Date(at).toISOString());
  }
});
