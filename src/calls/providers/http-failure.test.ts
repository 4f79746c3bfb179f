import assert from "node:assert/strict";
import { test } from "node:test";
import { retryAfter } from "./http.ts";

const now = Date.parse("2026-03-01T12:00:00Z");
const cases: [said: string | null, answer: { retryInMs?: number; announced?: true }][] = [
  ["2", { retryInMs: 2_000, announced: true }],
  ["0", { retryInMs: 0, announced: true }],
  ["Sun, 01 Mar 2026 12:01:00 GMT", { retryInMs: 60_000, announced: true }],
  ["Sun, 01 Mar 2026 11:00:00 GMT", { retryInMs: 0, announced: true }],
  ["soon", {}],
  ["", {}],
  [null, {}],
];

for (const [said, answer] of cases) {
  test(`an endpoint that says ${JSON.stringify(said)} is asked again in ${answer.retryInMs ?? "the usual"} ms`, () => {
    assert.deepEqual(retryAfter(said, now), answer);
  });
}
