import assert from "node:assert/strict";
import { test } from "node:test";
import { timesIn } from "./call-times.ts";

const now = new Date(2026, 10, 18, 15, 30).getTime();
const at = (day: number, hour = 0, minute = 0) =>
  new Date(2026, 10, day, hour, minute).toISOString();

test("a span of time is counted from now, and a day from midnight", () => {
  assert.deepEqual(timesIn({ range: "hour" }, now), { since: at(18, 14, 30) });
  assert.deepEqual(timesIn({ range: "today" }, now), { since: at(18) });
  assert.deepEqual(timesIn({ range: "yesterday" }, now), { since: at(17), until: at(18) });
});

test("moments in the address count as they are, and an unknown span is none", () => {
  assert.deepEqual(timesIn({ since: "2026-11-01", until: "2026-11-02" }, now), {
    since: "2026-11-01",
    until: "2026-11-02",
  });
  assert.deepEqual(timesIn({ range: "toString" }, now), {});
  assert.deepEqual(timesIn({}, now), {});
});
