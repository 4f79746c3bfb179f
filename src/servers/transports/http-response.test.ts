import assert from "node:assert/strict";
import { test } from "node:test";
import { readRetryAfter, transportFailure } from "./http-response.ts";

test("a time to wait is read as seconds or as a date, and anything else is none", () => {
  const now = Date.UTC(2026, 10, 15, 8, 0, 0);
  const values: [value: string | undefined, waitMs: number | undefined][] = [
    ["120", 120_000],
    [" 0 ", 0],
    ["Sun, 15 Nov 2026 08:00:30 GMT", 30_000],
    ["Sun, 15 Nov 2026 07:00:00 GMT", 0],
    ["soon", undefined],
    [undefined, undefined],
  ];
  for (const [value, waitMs] of values) assert.equal(readRetryAfter(value, now), waitMs, value);
});

test("every way to fail to connect has a reason of its own, without path and query", () => {
  const url = new URL("https://ada:pw-one@example.com:8443/pw-two?key=pw-three");
  const codes = [
    "ECONNREFUSED",
    "ENOTFOUND",
    "EPROTO",
    "CERT_HAS_EXPIRED",
    "HPE_INVALID_CONSTANT",
    "ECONNRESET",
    "ETIMEDOUT",
  ];
  const reasons = codes.map((code) =>
    transportFailure(Object.assign(new Error("it failed"), { code }), url),
  );
  assert.equal(new Set(reasons).size, codes.length);
  for (const reason of reasons) {
    assert.match(reason, /example\.com/);
    assert.doesNotMatch(reason, /pw-/);
  }
});
