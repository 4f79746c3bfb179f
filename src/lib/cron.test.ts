import assert from "node:assert/strict";
import { test } from "node:test";
import { readCron } from "./cron.ts";

function times(text: string, from: string, count: number, zone = "Europe/Berlin"): string[] {
  const cron = readCron(text, zone);
  assert.ok(!("problem" in cron), JSON.stringify(cron));
  const found: string[] = [];
  let at: number | null = Date.parse(from);
  while (found.length < count) {
    at = cron.next(at);
    if (at === null) break;
    found.push(new Date(at).toISOString().replace(":00.000Z", "Z"));
  }
  return found;
}

test("a time that clocks jump over comes once, right after the gap", () => {
  assert.deepEqual(times("30 2 * * *", "2026-03-28T12:00Z", 2), [
    "2026-03-29T01:00Z",
    "2026-03-30T00:30Z",
  ]);
  assert.deepEqual(times("*/10 2 * * *", "2026-03-28T12:00Z", 2), [
    "2026-03-29T01:00Z",
    "2026-03-30T00:00Z",
  ]);
});

test("a time that clocks show twice comes once, the first time", () => {
  assert.deepEqual(times("30 2 * * *", "2026-10-24T12:00Z", 2), [
    "2026-10-25T00:30Z",
    "2026-10-26T01:30Z",
  ]);
});

test("what comes every hour comes in every hour that passes, whatever clocks show", () => {
  const autumn = [
    "2026-10-24T23:30Z",
    "2026-10-25T00:30Z",
    "2026-10-25T01:30Z",
    "2026-10-25T02:30Z",
  ];
  assert.deepEqual(times("30 * * * *", "2026-10-24T23:00Z", 4), autumn);
  for (const every of ["30 */1 * * *", "30 0-23 * * *"])
    assert.deepEqual(times(every, "2026-10-24T23:00Z", 4), autumn, "however each hour is written");
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
  assert.deepEqual(times("@daily", "2026-03-27T18:39Z", 1, "Asia/Kathmandu"), [
    "2026-03-28T18:15Z",
  ]);
  assert.deepEqual(times("0 0 31 4 *", "2026-03-27T18:39Z", 1), []);
});

test("half an hour that is set back or forward is no hour", () => {
  const zone = "Australia/Lord_Howe";
  assert.deepEqual(times("0 2 * * *", "2026-10-03T00:00Z", 2, zone), [
    "2026-10-03T15:30Z",
    "2026-10-04T15:00Z",
  ]);
  assert.deepEqual(times("45 1 * * *", "2027-04-03T00:00Z", 2, zone), [
    "2027-04-03T14:45Z",
    "2027-04-04T15:15Z",
  ]);
  assert.deepEqual(times("45 * * * *", "2027-04-03T14:00Z", 3, zone), [
    "2027-04-03T14:45Z",
    "2027-04-03T15:15Z",
    "2027-04-03T16:15Z",
  ]);
});

test("days that only a calendar knows: the last, the nearest working day, the second Friday", () => {
  const days = (text: string, from: string, count: number) =>
    times(`0 0 ${text}`, `${from}T12:00Z`, count, "UTC").map((at) => at.slice(0, 10));
  assert.deepEqual(days("L * *", "2028-01-30", 3), ["2028-01-31", "2028-02-29", "2028-03-31"]);
  assert.deepEqual(days("LW * *", "2026-05-01", 2), ["2026-05-29", "2026-06-30"]);
  assert.deepEqual(days("1W,15W * *", "2026-07-31", 3), ["2026-08-03", "2026-08-14", "2026-09-01"]);
  assert.deepEqual(days("30W 2 *", "2026-01-01", 1), [], "no day of another month stands for it");
  assert.deepEqual(days("* * fri#2", "2026-11-01", 2), ["2026-11-13", "2026-12-11"]);
  assert.deepEqual(days("? * 5#5", "2026-11-01", 2), ["2027-01-29", "2027-04-30"]);
  assert.deepEqual(days("* * friL", "2026-11-01", 2), ["2026-11-27", "2026-12-25"]);
  assert.deepEqual(days("L * mon#1", "2026-11-02", 3), ["2026-11-30", "2026-12-07", "2026-12-31"]);
});

test("a day that a short month does not have hides no day of the next month", () => {
  const days = (text: string, zone: string) =>
    times(text, "2027-02-25T12:00Z", 3, zone).map((at) => at.slice(0, 10));
  assert.deepEqual(days("0 12 1,31 * *", "UTC"), ["2027-03-01", "2027-03-31", "2027-04-01"]);
  assert.deepEqual(days("0 12 */6 * *", "Europe/Berlin"), [
    "2027-03-01",
    "2027-03-07",
    "2027-03-13",
  ]);
  assert.deepEqual(times("0 * 1,31 * *", "2027-02-25T12:00Z", 1), ["2027-02-28T23:00Z"]);
});

test("a step through the days of a month narrows a day of the week", () => {
  assert.deepEqual(times("0 0 */2 * mon", "2026-11-01T12:00Z", 2, "UTC"), [
    "2026-11-09T00:00Z",
    "2026-11-23T00:00Z",
  ]);
});

test("a weekend is written from its first day to its last", () => {
  assert.deepEqual(times("0 9 * * sat-sun", "2026-11-13T10:00Z", 2, "UTC"), [
    "2026-11-14T09:00Z",
    "2026-11-15T09:00Z",
  ]);
});

test("what is no such time is reported with the field that is wrong", () => {
  const problemOf = (text: string) => {
    const cron = readCron(text, "UTC");
    return "problem" in cron ? cron.problem : "none";
  };
  assert.match(problemOf("* * * *"), /4 fields instead of 5/);
  assert.match(problemOf("61 * * * *"), /'61' as its minute/);
  assert.match(problemOf("0 9-8 * * *"), /'9-8' as its hour/);
  assert.match(problemOf("0 9 * foo *"), /'foo' as its month/);
  assert.match(problemOf("0 9 * * */0"), /day of the week/);
  assert.match(problemOf("*/90 * * * *"), /'\*\/90' as its minute: a step cannot be more than 60/);
  assert.equal(problemOf("*/60 * * * *"), "none");
  assert.match(problemOf("0 0 * * fri#6"), /'fri#6' as its day of the week/);
  assert.match(problemOf("0 0 32W * *"), /'32W' as its day of the month/);
  assert.match(problemOf("0 0 * jan1 *"), /'jan1' as its month/);
  assert.match(problemOf("12:00 * * * *"), /'12:00' as its minute/);
  assert.match(problemOf("0 0 LW,15 * *"), /'LW,15' as its day of the month: LW stands alone/);
  assert.match(problemOf("0 ? * * *"), /'\?' as its hour/);
  assert.match(problemOf("@reboot"), /is not a valid time: use one of @hourly, /);
});
