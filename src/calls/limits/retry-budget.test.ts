import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { moveTime, useMockedTime } from "../../../test/samples/mocked-time.ts";
import { createRetryBudget, type RetryBudget } from "./retry-budget.ts";

function takeAll(budget: RetryBudget, target = "search"): number {
  let taken = 0;
  while (budget.take(target)) taken += 1;
  return taken;
}

function call(budget: RetryBudget, times: number, target = "search"): void {
  for (let at = 0; at < times; at += 1) budget.called(target);
}

suite("how much is tried again", () => {
  useMockedTime();

  for (const [calls, retries] of [
    [0, 20],
    [1, 20],
    [100, 20],
    [110, 22],
    [200, 40],
  ] as const) {
    test(`of ${calls} calls in the last minute, ${retries} may be tried again`, () => {
      const budget = createRetryBudget();
      call(budget, calls);
      assert.equal(takeAll(budget), retries);
    });
  }

  test("servers do not use up each other's retries", () => {
    const budget = createRetryBudget();
    takeAll(budget, "first");
    assert.equal(takeAll(budget, "second"), 20);
  });

  test("a minute later there are new ones, and calls of before count no more", async () => {
    const budget = createRetryBudget();
    call(budget, 500);
    assert.equal(takeAll(budget), 100);
    await moveTime(30_000);
    assert.equal(takeAll(budget), 0);
    await moveTime(30_000);
    assert.equal(takeAll(budget), 20);
  });
});
