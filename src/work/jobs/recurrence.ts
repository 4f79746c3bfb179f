import { momentOf, readCron, readMoment, wallTimeAt } from "../../lib/cron.ts";
import type { Recurrence } from "../../model/work/job.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** How far back is looked for the times that passed, a step at a time: most are soon found. */
const windowsMs = [hourMs, dayMs, 35 * dayMs, 400 * dayMs];

/** The first time after this moment that a job is due; null when it does not come again. Intervals begin at the anchor. */
export function nextTime(recurrence: Recurrence, anchor: number, after: number): number | null {
  const { timezone, start_date, end_date, cron } = recurrence;
  const start = start_date === undefined ? undefined : readMoment(start_date, timezone)?.at;
  const from = start === undefined ? after : Math.max(after, start - 1);
  const next = cron === undefined ? nextInterval(recurrence, start ?? anchor, from) : byCron(cron, timezone, from);
  return next === null || (end_date !== undefined && next >= endOf(end_date, timezone)) ? null : next;
}

/** The last so many times between the two moments, both included, oldest first. */
export function lastTimes(
  recurrence: Recurrence,
  anchor: number,
  { from, to, most }: { from: number; to: number; most: number },
): number[] {
  for (const windowMs of [...windowsMs, Number.POSITIVE_INFINITY]) {
    const begin = Math.max(from, to - windowMs);
    const found: number[] = [];
    let next = nextTime(recurrence, anchor, begin - 1);
    while (next !== null && next <= to) {
      found.push(next);
      next = nextTime(recurrence, anchor, next);
    }
    if (found.length >= most || begin === from) return found.slice(-most);
  }
  return [];
}

function byCron(text: string, zone: string, after: number): number | null {
  const cron = readCron(text, zone);
  return "problem" in cron ? null : cron.next(after);
}

/** A date is meant to the end of its day. */
function endOf(text: string, zone: string): number {
  const end = readMoment(text, zone);
  if (end === null) return Number.POSITIVE_INFINITY;
  return end.isDate ? momentOf(zone, wallTimeAt(zone, end.at) + dayMs) : end.at + 1;
}

/** Hours are counted as they pass; days, weeks and months as clocks and calendars show them. */
function nextInterval({ frequency, interval = 1, timezone }: Recurrence, base: number, after: number) {
  if (frequency === undefined) return null;
  if (frequency === "hourly") {
    const every = interval * hourMs;
    return base + Math.max(0, Math.floor((after - base) / every) + 1) * every;
  }
  const first = wallTimeAt(timezone, base);
  const days = frequency === "weekly" ? 7 : frequency === "monthly" ? 31 : 1;
  let count = Math.max(0, Math.floor((after - base) / (interval * days * dayMs)) - 1);
  for (;;) {
    const wall = frequency === "monthly" ? addMonths(first, count * interval) : first + count * interval * days * dayMs;
    const at = momentOf(timezone, wall);
    if (at > after) return at;
    count += 1;
  }
}

/** The same day and time, or the last day of a month that is shorter. */
function addMonths(wall: number, months: number): number {
  const date = new Date(wall);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(date.getUTCDate(), lastDay)) + (wall - Math.floor(wall / dayMs) * dayMs);
}
