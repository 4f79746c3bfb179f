import assert from "node:assert/strict";
import { test } from "node:test";
import { readTask, taskIn } from "./task.ts";

const working = { taskId: "t", status: "working" };

test("a task is asked for as often as its server suggests, within reason", () => {
  const intervals: [suggested: unknown, pollMs: number][] = [
    [undefined, 1_000],
    ["soon", 1_000],
    [Number.NaN, 1_000],
    [0, 100],
    [-5, 100],
    [2_500, 2_500],
    [3_600_000, 10_000],
  ];
  for (const [suggested, pollMs] of intervals) {
    assert.equal(
      readTask({ ...working, pollInterval: suggested })?.pollMs,
      pollMs,
      String(suggested),
    );
    assert.equal(
      readTask({ ...working, pollIntervalMs: suggested })?.pollMs,
      pollMs,
      String(suggested),
    );
  }
});

test("an answer is a task only when it says so and is no result", () => {
  assert.equal(taskIn({ task: working })?.taskId, "t");
  assert.equal(taskIn({ resultType: "task", ...working })?.taskId, "t");
  for (const result of [
    working,
    { task: "t" },
    { task: { taskId: "t" } },
    { task: working, content: [] },
    { resultType: "task" },
    null,
  ]) {
    assert.equal(taskIn(result), undefined, JSON.stringify(result));
  }
});
