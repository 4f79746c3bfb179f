import assert from "node:assert/strict";
import { test } from "node:test";
import type { TimeWindow } from "../../model/access/policy.ts";
import { createTimeTest } from "./rules.ts";

// 2026-11-13 is a Friday.
const cases: [title: string, window: Partial<TimeWindow>, at: string, inside: boolean][] = [
  ["within the hours", { from: "09:00", to: "17:00" }, "2026-11-13T12:00:00Z", true],
  ["the first minute counts", { from: "09:00", to: "17:00" }, "2026-11-13T09:00:00Z", true],
  ["the last does not", { from: "09:00", to: "17:00" }, "2026-11-13T17:00:00Z", false],
  ["before midnight", { from: "22:00", to: "06:00" }, "2026-11-13T23:30:00Z", true],
  ["after midnight", { from: "22:00", to: "06:00" }, "2026-11-14T05:59:00Z", true],
  ["outside of the night", { from: "22:00", to: "06:00" }, "2026-11-14T06:00:00Z", false],
  [
    "the night of Friday ends on Saturday",
    { from: "22:00", to: "06:00", days: ["fri"] },
    "2026-11-14T01:00:00Z",
    true,
  ],
  [
    "and that of Thursday on Friday",
    { from: "22:00", to: "06:00", days: ["fri"] },
    "2026-11-13T01:00:00Z",
    false,
  ],
  ["the whole day", { days: ["sat", "sun"] }, "2026-11-14T00:00:00Z", true],
  ["not on another day", { days: ["sat", "sun"] }, "2026-11-13T23:59:00Z", false],
  [
    "by another clock",
    { from: "09:00", to: "10:00", timezone: "Asia/Tokyo" },
    "2026-11-13T00:30:00Z",
    true,
  ],
];

for (const [title, window, at, inside] of cases) {
  test(`${title}: ${inside ? "inside" : "outside"}`, () => {
    const full: TimeWindow = { from: "00:00", to: "00:00", timezone: "UTC", ...window };
    assert.equal(createTimeTest(full)(new Date(at)), inside);
  });
}
