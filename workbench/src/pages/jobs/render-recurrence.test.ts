import assert from "node:assert/strict";
import { test } from "node:test";
import type { Recurrence } from "../../../../src/model/work/job.ts";
import { renderRecurrence } from "./render-recurrence.ts";

const cron = (text: string) =>
  renderRecurrence({ cron: text, timezone: "UTC" } as Recurrence).replace(" (UTC)", "");

test("the usual times of jobs are shown in words", () => {
  assert.equal(cron("*/10 * * * *"), "every 10 minutes");
  assert.equal(cron("5 * * * *"), "every hour at :05");
  assert.equal(cron("0 9 * * *"), "every day at 09:00");
  assert.equal(cron("30 17 * * mon-fri"), "Monday to Friday at 17:30");
  assert.equal(cron("0 0 * * 0,6"), "Sunday, Saturday at 00:00");
  assert.equal(renderRecurrence(undefined), "on request");
});

test("what has no short words stays as it was written", () => {
  for (const text of ["0 9 1 * *", "0 9,17 * * *", "*/5 9-17 * * mon", "0 9 * * mon#1", "@daily"])
    assert.equal(cron(text), text);
});
