import assert from "node:assert/strict";
import { test } from "node:test";
import type { Recurrence } from "@toolplane/core/model/work/job";
import { sampleJob } from "@toolplane/test/samples/jobs";
import {
  fire,
  lastTimes,
  nextTime,
  type ScheduledJob,
  scheduleOf,
  upcomingTimes,
} from "./schedule.ts";

const at = Date.parse;
const iso = (time: number | null) =>
  time === null ? null : new Date(time).toISOString().replace(":00.000Z", "Z");
const every = (changes: Partial<Recurrence>): Recurrence => ({
  timezone: "UTC",
  missed: "once",
  ...changes,
});
const jobWith = (recurrence: Partial<Recurrence>) =>
  sampleJob("digest", { recurrence: every(recurrence) }) as ScheduledJob;

function series(recurrence: Recurrence, anchor: string, count: number): (string | null)[] {
  const found: (string | null)[] = [];
  let last = at(anchor);
  while (found.length < count) {
    const next = nextTime(recurrence, at(anchor), last);
    found.push(iso(next));
    if (next === null) break;
    last = next;
  }
  return found;
}

test("days keep the time that clocks show, hours keep their distance", () => {
  const zone = { timezone: "Europe/Berlin" };
  assert.deepEqual(series(every({ frequency: "daily", ...zone }), "2026-03-27T01:30Z", 3), [
    "2026-03-28T01:30Z",
    // 02:30 does not exist on this day.
    "2026-03-29T01:00Z",
    "2026-03-30T00:30Z",
  ]);
  assert.deepEqual(
    series(every({ frequency: "hourly", interval: 12, ...zone }), "2026-03-28T20:00Z", 2),
    ["2026-03-29T08:00Z", "2026-03-29T20:00Z"],
  );
  assert.deepEqual(series(every({ frequency: "weekly", interval: 2 }), "2026-03-01T09:00Z", 2), [
    "2026-03-15T09:00Z",
    "2026-03-29T09:00Z",
  ]);
  assert.deepEqual(series(every({ frequency: "monthly" }), "2026-01-31T09:00Z", 3), [
    "2026-02-28T09:00Z",
    "2026-03-31T09:00Z",
    "2026-04-30T09:00Z",
  ]);
});

test("the first day is the first time, and after the last day there is none", () => {
  const limited = {
    start_date: "2026-03-02T06:00",
    end_date: "2026-03-03",
    timezone: "America/New_York",
  };
  assert.deepEqual(series(every({ frequency: "daily", ...limited }), "2026-01-01T00:00Z", 3), [
    "2026-03-02T11:00Z",
    "2026-03-03T11:00Z",
    null,
  ]);
  assert.deepEqual(series(every({ cron: "0 23 * * *", ...limited }), "2026-01-01T00:00Z", 3), [
    "2026-03-03T04:00Z",
    "2026-03-04T04:00Z",
    null,
  ]);
});

test("the last times are found without counting through all of them", () => {
  const span = { from: at("2016-03-01T00:00Z"), to: at("2026-03-01T00:00:30Z") };
  assert.deepEqual(lastTimes(every({ cron: "* * * * *" }), 0, { ...span, most: 2 }).map(iso), [
    "2026-02-28T23:59Z",
    "2026-03-01T00:00Z",
  ]);
  assert.deepEqual(lastTimes(every({ cron: "0 0 1 1 *" }), 0, { ...span, most: 1 }).map(iso), [
    "2026-01-01T00:00Z",
  ]);
});

test("after an hour without a clock one run is made, or none, or one for each time, as the job says", () => {
  const made = (missed: Recurrence["missed"], now: string) => {
    const job = jobWith({ cron: "*/20 * * * *", missed });
    const schedule = scheduleOf(job, null, at("2026-03-01T11:45Z"));
    const { times, next } = fire(job, schedule, at(now));
    return [...times.map((time) => time.slice(11, 16)), `then ${next.nextAt?.slice(11, 16)}`].join(
      " ",
    );
  };
  assert.equal(made("once", "2026-03-01T13:05Z"), "13:00 then 13:20");
  assert.equal(made("skip", "2026-03-01T13:05Z"), "then 13:20");
  assert.equal(made("skip", "2026-03-01T13:00:20Z"), "13:00 then 13:20");
  assert.equal(made("all", "2026-03-01T13:05Z"), "12:00 12:20 12:40 13:00 then 13:20");
});

test("the times that come next are reported, through a change of clocks, and none while it is paused", () => {
  const job = jobWith({
    cron: "0 9 * * sat-sun",
    timezone: "Europe/Berlin",
    end_date: "2026-03-29",
  });
  const schedule = scheduleOf(job, null, at("2026-03-21T12:00Z"));
  assert.deepEqual(
    upcomingTimes(job, schedule).map((time) => iso(at(time))),
    ["2026-03-22T08:00Z", "2026-03-28T08:00Z", "2026-03-29T07:00Z"],
  );
  const paused = { at: "2026-03-21T12:00:00.000Z", by: "ada" };
  assert.deepEqual(upcomingTimes(job, { ...schedule, paused }), []);
  assert.deepEqual(upcomingTimes(sampleJob("asked"), null), []);
  assert.equal(upcomingTimes(jobWith({ frequency: "daily" }), null).length, 5);
});

test("a schedule stays as it is until its recurrence changes, and a clock that was ahead is put right", () => {
  const job = jobWith({ cron: "0 * * * *" });
  const first = scheduleOf(job, null, at("2026-03-01T11:45Z"));
  assert.equal(scheduleOf(job, first, at("2026-03-01T11:50Z")), first);
  assert.equal(
    scheduleOf(job, first, at("2026-03-01T15:50Z")),
    first,
    "what was missed is still to be dealt with",
  );
  const ahead = { ...first, nextAt: "2030-01-01T00:00:00.000Z" };
  assert.equal(scheduleOf(job, ahead, at("2026-03-01T11:50Z")).nextAt, "2026-03-01T12:00:00.000Z");
  const other = scheduleOf(jobWith({ cron: "30 * * * *" }), first, at("2026-03-01T11:50Z"));
  assert.equal(other.nextAt, "2026-03-01T12:30:00.000Z");
});
