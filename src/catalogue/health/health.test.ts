import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { HealthSample } from "../../model/catalogue/health.ts";
import { createHealth, summarizeSamples } from "./health.ts";

function sample(at: number, changes: Partial<HealthSample> = {}): HealthSample {
  return { subject: "tool:a", at: new Date(at).toISOString(), ok: true, latencyMs: at, ...changes };
}

test("of 150 samples the last 100 count", () => {
  const health = createHealth([]);
  for (let at = 1; at <= 150; at += 1) health.observe(sample(at, { ok: at > 75 }));
  assert.deepEqual(health.summary("tool:a"), {
    total: 100,
    success: 75,
    failure: 25,
    success_rate: 0.75,
    average_latency_ms: 100.5,
    p95_latency_ms: 145.05,
    last_sample_at: new Date(150).toISOString(),
  });
});

test("the summary of 150 samples equals an independent calculation", () => {
  // A fixed sequence that looks like none, so that nothing is sorted by chance.
  const samples = Array.from({ length: 150 }, (_, at) =>
    sample(at + 1, { ok: (at * 7) % 11 !== 0, latencyMs: ((at * 7_919) % 1_009) + 0.5 }),
  );
  const health = createHealth([]);
  samples.forEach(health.observe);
  const window = samples.slice(50);
  const sorted = window.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b);
  let sum = 0;
  let good = 0;
  for (const { latencyMs, ok } of window) {
    sum += latencyMs;
    if (ok) good += 1;
  }
  // Of 100 values the 95th percentile stands 5 hundredths of the way from the 95th to the 96th.
  const [low = 0, high = 0] = [sorted[94], sorted[95]];
  const found = health.summary("tool:a");
  assert.deepEqual([found.total, found.success, found.failure], [100, good, 100 - good]);
  assert.ok(Math.abs(found.average_latency_ms - sum / 100) < 1e-9);
  assert.ok(Math.abs(found.p95_latency_ms - (low * 0.95 + high * 0.05)) < 1e-9);
  assert.deepEqual(health.last("tool:a"), {
    at: found.last_sample_at,
    ok: samples[149]?.ok,
    latency_ms: samples[149]?.latencyMs,
  });
  assert.equal(health.last("tool:never"), null);
});

test("a window begins with what was stored and goes on from there", () => {
  const health = createHealth(Array.from({ length: 120 }, (_, at) => sample(at)));
  health.observe(sample(500, { ok: false }));
  const { total, failure, last_sample_at } = health.summary("tool:a");
  assert.deepEqual([total, failure, last_sample_at], [100, 1, new Date(500).toISOString()]);
});

test("every subject has a window of its own, empty at first", () => {
  const health = createHealth([sample(1), sample(2, { subject: "tool:b", ok: false })]);
  assert.equal(health.summary("tool:a").success_rate, 1);
  assert.equal(health.summary("tool:b").success_rate, 0);
  assert.deepEqual(health.summary("tool:c"), {
    total: 0,
    success: 0,
    failure: 0,
    success_rate: 0,
    average_latency_ms: 0,
    p95_latency_ms: 0,
    last_sample_at: null,
  });
});

const quantiles: [latencies: number[], p95: number][] = [
  [[7], 7],
  [[10, 20], 19.5],
  [[30, 10, 20], 29],
  [Array.from({ length: 21 }, (_, at) => at), 19],
];

for (const [latencies, p95] of quantiles) {
  test(`the 95th percentile of ${latencies.length} samples lies between the nearest two: ${p95}`, () => {
    assert.equal(
      summarizeSamples(latencies.map((latencyMs) => sample(1, { latencyMs }))).p95_latency_ms,
      p95,
    );
  });
}

test("average and percentile stay between the fastest and the slowest", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(10_000), { minLength: 1 }), (latencies) => {
      const { average_latency_ms, p95_latency_ms } = summarizeSamples(
        latencies.map((latencyMs) => sample(1, { latencyMs })),
      );
      for (const value of [average_latency_ms, p95_latency_ms]) {
        assert.ok(value >= Math.min(...latencies) && value <= Math.max(...latencies));
      }
    }),
  );
});
