import assert from "node:assert/strict";
import { test } from "node:test";
import { toMoment } from "./verb.ts";

const now = Date.parse("2026-11-15T12:00:00.000Z");

const moments: [text: string, at: string][] = [
  ["90m", "2026-11-15T13:30:00.000Z"],
  ["12h", "2026-11-16T00:00:00.000Z"],
  [" 30d ", "2026-12-15T12:00:00.000Z"],
  ["2w", "2026-11-29T12:00:00.000Z"],
  ["1y", "2027-11-15T12:00:00.000Z"],
  ["2030-01-31", "2030-01-31T00:00:00.000Z"],
  ["2030-01-31T10:00:00+01:00", "2030-01-31T09:00:00.000Z"],
];

for (const [text, at] of moments) {
  test(`'${text}' is a time to come`, (context) => {
    context.mock.timers.enable({ apis: ["Date"], now });
    assert.equal(toMoment(text), at);
  });
}

for (const text of [
  "",
  "30",
  "d",
  "-1d",
  "0d",
  "1.5h",
  "2020-01-01",
  "2030-13-01",
  "soon",
  "999999y9",
]) {
  test(`'${text}' is none`, (context) => {
    context.mock.timers.enable({ apis: ["Date"], now });
    assert.throws(() => toMoment(text), /Give a time from now such as 12h/);
  });
}
