import assert from "node:assert/strict";
import { test } from "node:test";
import { nextCron, parseCron } from "./cron.ts";

function times(text: string, from: string, count: number, zone = "Europe/Berlin"): string[] {
  const cron = parseCron(text);
  assert.ok(!("problem" in cron), JSON.stringify(cron));
  const found: string[] = [];
  let at: number | null = Date.parse(from);
  while (found.length < count) {
    at = nextCron(cron, zone, at);
    if (at === null) break;
    found.push(new Date(at).toISOString().replace(":00.000Z", "Z"));
  }
  return found;
}

test("a time that clocks jump over comes once, right after the gap", () => {
  assert.deepEqual(times("30 2 * * *", "2026-03-28T12:00Z", 2), ["2026-03-29T01:00Z", "2026-03-30T00:30Z"]);
  assert.deepEqual(times("*/10 2 * * *", "2026-03-28T12:00Z", 2), ["2026-03-29T01:00Z", "2026-03-30T00:00Z"]);
});

test("a time that clocks show twice comes once, the first time", () => {
  assert.deepEqual(times("30 2 * * *", "2026-10-24T12:00Z", 2), ["2026-10-25T00:30Z", "2026-10-26T01:30Z"]);
});

test("what comes every hour comes in every hour that passes, whatever clocks show", () => {
  const autumn = ["2026-10-24T23:30Z", "2026-10-25T00:30Z", "2026-10-25T01:30Z", "2026-10-25T02:30Z"];
  assert.deepEqual(times("30 * * * *", "2026-10-24T23:00Z", 4), autumn);
  const spring = ["2026-03-29T00:30Z", "2026-03-29T01:30Z"];
  assert.deepEqual(times("30 * * * *", "2026-03-29T00:00Z", 2), spring);
});

test("days, months, names, lists, ranges and steps mean what they mean everywhere", () => {
  assert.deepEqual(times("0 0 29 2 *", "2026-03-01T00:00Z", 2, "UTC"), [
    "2028-02-29T00:00Z",
    "2032-02-29T00:00Z",
  ]);
  assert.deepEqual(times("0 9 1 * mon", "2026-03-29T00:00Z", 3, "UTC"), [
    "2026-03-30T09:00Z",
    "2026-04-01T09:00Z",
    "2026-04-06T09:00Z",
  ]);
  assert.deepEqual(times("0 9 * * 7", "2026-03-29T10:00Z", 1, "UTC"), ["2026-04-05T09:00Z"]);
  assert.deepEqual(times("*/20,5 17-18 * jan,mar-apr 1-5", "2026-03-27T18:39Z", 3, "UTC"), [
    "2026-03-27T18:40Z",
    "2026-03-30T17:00Z",
    "2026-03-30T17:05Z",
  ]);
  assert.deepEqual(times("@daily", "2026-03-27T18:39Z", 1, "Asia/Kathmandu"), ["2026-03-28T18:15Z"]);
  assert.deepEqual(times("0 0 31 4 *", "2026-03-27T18:39Z", 1), []);
});

test("what is no such time is told with the field that is wrong", () => {
  const problemOf = (text: string) => {
    const cron = parseCron(text);
    return "problem" in cron ? cron.problem : "none";
  };
  assert.match(problemOf("* * * *"), /4 fields instead of 5/);
  assert.match(problemOf("61 * * * *"), /'61' as its minute/);
  assert.match(problemOf("0 9-8 * * *"), /'9-8' as its hour/);
  assert.match(problemOf("0 9 * foo *"), /'foo' as its month/);
  assert.match(problemOf("0 9 * * */0"), /day of the week/);
});
