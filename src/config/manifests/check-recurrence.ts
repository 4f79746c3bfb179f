import { isTimeZone, readCron, readMoment } from "../../lib/cron.ts";
import type { Recurrence } from "../../model/work/job.ts";
import type { Report } from "../parse-value.ts";

const dateHint = "Write 2026-11-15, or 2026-11-15T09:00 with or without an offset.";

/** Whether it can be reckoned when a job is due. */
export function checkRecurrence(
  { cron, frequency, interval, timezone, start_date, end_date }: Recurrence,
  report: Report,
): void {
  const at = (key: string) => ["recurrence", key];
  if ((cron === undefined) === (frequency === undefined))
    report(["recurrence"], "says either 'cron' or 'frequency'", "Without both, leave 'recurrence' out.");
  if (interval !== undefined && frequency === undefined)
    report(at("interval"), "counts in units of 'frequency'", "Add 'frequency', or leave 'interval' out.");
  if (cron !== undefined) checkCron(cron, report);
  if (!isTimeZone(timezone))
    return report(at("timezone"), `'${timezone}' is no time zone`, "Write one such as Europe/Berlin.");
  const dates = { start_date, end_date };
  for (const [key, text] of Object.entries(dates))
    if (text !== undefined && readMoment(text, timezone) === null) report(at(key), `'${text}' is no date`, dateHint);
  const [from, to] = [start_date, end_date].map((text) =>
    text === undefined ? undefined : readMoment(text, timezone)?.at,
  );
  if (from !== undefined && to !== undefined && to < from)
    report(at("end_date"), "is before 'start_date'", "Exchange them.");
}

function checkCron(text: string, report: Report): void {
  const cron = readCron(text, "UTC");
  const example = "'30 9 * * mon-fri' is half past nine on working days.";
  if ("problem" in cron) report(["recurrence", "cron"], `'${text}' ${cron.problem}`, example);
  else if (cron.next(Date.now()) === null)
    report(["recurrence", "cron"], `'${text}' never comes`, "Check the day and the month.");
}
