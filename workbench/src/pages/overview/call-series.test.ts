import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallSeries } from "../../../../src/model/calls/call-schema.ts";
import { upTo, withCall } from "./call-series.ts";

const since = Date.parse("2026-03-01T12:00:00.000Z");
const minuteMs = 60_000;
const step = (place: number, calls: number, errors: number) => ({
  at: new Date(since + place * minuteMs).toISOString(),
  calls,
  errors,
  byStatus: {},
  p50Ms: null,
  p95Ms: null,
});
const series: CallSeries = {
  since: new Date(since).toISOString(),
  until: new Date(since + 3 * minuteMs).toISOString(),
  stepMs: minuteMs,
  steps: [step(0, 4, 1), step(1, 0, 0), step(2, 2, 0)],
  total: { calls: 6, errors: 1, byStatus: {}, p50Ms: null, p95Ms: null },
};
const shape = ({ steps, total }: CallSeries) => [
  steps.map(({ calls, errors }) => `${calls}/${errors}`).join(" "),
  `${total.calls}/${total.errors}`,
];

test("a call that ends is counted in its minute, and one that failed as that", () => {
  const now = since + 2.5 * minuteMs;
  assert.deepEqual(shape(withCall(series, now, "succeeded")), ["4/1 0/0 3/0", "7/1"]);
  assert.deepEqual(shape(withCall(series, now, "refused")), ["4/1 0/0 3/1", "7/2"]);
  assert.deepEqual(shape(withCall(series, now, "tool_error")), ["4/1 0/0 3/1", "7/2"]);
});

test("a new minute takes the place of the oldest, which is not counted any more", () => {
  const later = withCall(series, since + 3 * minuteMs, "failed");
  assert.deepEqual(shape(later), ["0/0 2/0 1/1", "3/1"]);
  assert.equal(later.since, new Date(since + minuteMs).toISOString());
  assert.equal(later.steps.at(-1)?.at, new Date(since + 3 * minuteMs).toISOString());
  assert.deepEqual(shape(upTo(series, since + 60 * minuteMs)), ["0/0 0/0 0/0", "0/0"]);
  assert.equal(upTo(series, since), series);
});
