import assert from "node:assert/strict";
import { test } from "node:test";
import { backoffMs } from "./pause.ts";

test("each wait is longer by the factor, up to the longest", () => {
  const waits = (backoff: Parameters<typeof backoffMs>[0]) =>
    [1, 2, 3, 4, 5_000].map((failures) => backoffMs(backoff, failures));
  assert.deepEqual(waits({ firstMs: 500, maxMs: 3_000 }), [500, 1_000, 2_000, 3_000, 3_000]);
  assert.deepEqual(waits({ firstMs: 10, maxMs: 200, factor: 3 }), [10, 30, 90, 200, 200]);
});

test("the jitter spreads a wait to both sides by its share", () => {
  const wait = (random: number) => backoffMs({ firstMs: 1_000, jitter: 0.2 }, 2, () => random);
  assert.deepEqual([0, 0.5, 1].map(wait), [1_600, 2_000, 2_400]);
});
