import assert from "node:assert/strict";
import { test } from "node:test";
import { failurePenalty, summarizeSamples } from "./health.ts";

const runs = (ok: number, failed: number) =>
  summarizeSamples(
    Array.from({ length: ok + failed }, (_, at) => ({
      subject: "p",
      at: "now",
      ok: at < ok,
      latencyMs: 1,
    })),
  );

test("a provider that fails more often has the higher penalty, and failures in a row add to it", () => {
  assert.equal(failurePenalty(runs(0, 0), 0), 0);
  assert.equal(failurePenalty(runs(10, 0), 0), 0);
  assert.equal(failurePenalty(runs(3, 1), 0), 0.25);
  assert.equal(failurePenalty(runs(3, 1), 1), 0.45);
  assert.equal(
    failurePenalty(runs(0, 9), 5),
    failurePenalty(runs(0, 9), 50),
    "five in a row are as bad as it gets",
  );
});
