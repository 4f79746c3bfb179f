import { momentOf, readCron, readMoment, wallTimeAt } from "@toolplane/core/lib/cron";
import { stableJson } from "@toolplane/core/lib/json/stable-json";
import type { JobListing } from "@toolplane/core/model/catalogue/registry-summary";
import type { JobManifest, Recurrence } from "@toolplane/core/model/work/job";
import type { JobSchedule, JobStore } from "@toolplane/core/model/work/job-run";

/** Later than this, a time counts as missed. */
const graceMs = 60_000;
/** Of missed times the last so many are made up for. */
const maxMissedRuns = 100;

export type ScheduledJob = JobManifest & { recurrence: Recurrence };

export function isScheduled(job: JobManifest): job is ScheduledJob {
  return job.recurrence !== undefined;
}

/** A schedule as the manifest has it now; the same one back where nothing has to be written. */
export function scheduleOf(
  job: ScheduledJob,
  stored: JobSchedule | null,
  now: number,
): JobSchedule {
  const recurrence = stableJson(job.recurrence);
  const isSame = stored?.recurrence === recurrence;
  const anchor = stored?.anchor ?? new Date(now).toISOString();
  const next = isoOf(nextTime(job.recurrence, Date.parse(anchor), now));
  // A clock that was ahead has left a time behind that is too late.
  const isStoredEarlier = isSame && stored.nextAt !== null && next !== null && stored.nextAt < next;
  const nextAt = isStoredEarlier ? stored.nextAt : next;
  const { priority } = job;
  if (isSame && stored.nextAt === nextAt && stored.priority === priority) return stored;
  const { name, persona: owner = null } = job;
  const { paused = null, revision = 0 } = stored ?? {};
  return { job: name, owner, recurrence, anchor, nextAt, priority, paused, revision };
}

/** The times that runs are made for now, and the schedule after that. */
export function fire(
  job: ScheduledJob,
  schedule: JobSchedule,
  now: number,
): { times: string[]; next: JobSchedule } {
  const { recurrence } = job;
  const anchor = Date.parse(schedule.anchor);
  const maxTimes = recurrence.missed === "all" ? maxMissedRuns : 1;
  const times = lastTimes(recurrence, anchor, {
    from: Date.parse(schedule.nextAt ?? ""),
    to: now,
    most: maxTimes,
  });
  const dueTimes =
    recurrence.missed === "skip" ? times.filter((time) => now - time <= graceMs) : times;
  const next = { ...schedule, nextAt: isoOf(nextTime(recurrence, anchor, now)) };
  return { times: dueTimes.map((time) => new Date(time).toISOString()), next };
}

export function showSchedule(job: JobManifest, stored: JobSchedule | null): JobListing["schedule"] {
  if (!isScheduled(job))
    return { state: "on_request", nextAt: null, pausedAt: null, pausedBy: null };
  const { nextAt, paused } = stored ?? scheduleOf(job, null, Date.now());
  if (paused !== null)
    return { state: "paused", nextAt: null, pausedAt: paused.at, pausedBy: paused.by };
  return { state: nextAt === null ? "over" : "scheduled", nextAt, pausedAt: null, pausedBy: null };
}

const maxUpcoming = 5;

export function upcomingTimes(job: JobManifest, stored: JobSchedule | null): string[] {
  if (!isScheduled(job)) return [];
  const { nextAt, paused, anchor } = stored ?? scheduleOf(job, null, Date.now());
  const times: string[] = [];
  let upcomingAt = paused === null ? nextAt : null;
  while (upcomingAt !== null && times.length < maxUpcoming) {
    times.push(upcomingAt);
    upcomingAt = isoOf(nextTime(job.recurrence, Date.parse(anchor), Date.parse(upcomingAt)));
  }
  return times;
}

/** From so many jobs on all schedules are read at once. */
const manyJobs = 50;

/** The same for several, in their order. */
export async function showSchedules(
  jobs: readonly JobManifest[],
  store: Pick<JobStore, "jobSchedule" | "jobSchedules">,
): Promise<JobListing["schedule"][]> {
  const allSchedules = jobs.length < manyJobs ? null : await store.jobSchedules();
  const scheduleByKey =
    allSchedules &&
    new Map(allSchedules.map((schedule) => [scheduleKey(schedule.job, schedule.owner), schedule]));
  const listings = jobs.map(async (job) => {
    if (!isScheduled(job)) return showSchedule(job, null);
    const { name, persona = null } = job;
    const stored = scheduleByKey
      ? scheduleByKey.get(scheduleKey(name, persona))
      : await store.jobSchedule(name, persona);
    return showSchedule(job, stored ?? null);
  });
  return Promise.all(listings);
}

export function scheduleKey(job: string, owner: string | null): string {
  return JSON.stringify([job, owner]);
}

function isoOf(time: number | null): string | null {
  if (time === null) return null;
  return new Date(time).toISOString();
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** How far back past times are searched, step by step: most are found soon. */
const windowsMs = [hourMs, dayMs, 35 * dayMs, 400 * dayMs];

/** The first time after this moment; null when there is none. Intervals begin at the anchor. */
export function nextTime(recurrence: Recurrence, anchor: number, after: number): number | null {
  const { timezone, start_date, end_date, cron } = recurrence;
  const start = start_date === undefined ? undefined : readMoment(start_date, timezone)?.at;
  const from = start === undefined ? after : Math.max(after, start - 1);
  const cronTimes = cron === undefined ? null : readCron(cron, timezone);
  const byCron = cronTimes === null || "problem" in cronTimes ? null : cronTimes.next(from);
  const next = cron === undefined ? nextInterval(recurrence, start ?? anchor, from) : byCron;
  const isOver = next !== null && end_date !== undefined && next >= endOf(end_date, timezone);
  return isOver ? null : next;
}

/** The last so many times between the two moments, both included, oldest first. */
export function lastTimes(
  recurrence: Recurrence,
  anchor: number,
  { from, to, most }: { from: number; to: number; most: number },
): number[] {
  for (const windowMs of [...windowsMs, Number.POSITIVE_INFINITY]) {
    const begin = Math.max(from, to - windowMs);
    const times: number[] = [];
    let next = nextTime(recurrence, anchor, begin - 1);
    while (next !== null && next <= to) {
      times.push(next);
      next = nextTime(recurrence, anchor, next);
    }
    if (times.length >= most || begin === from) return times.slice(-most);
  }
  return [];
}

/** A date is meant to the end of its day. */
function endOf(text: string, zone: string): number {
  const end = readMoment(text, zone);
  if (end === null) return Number.POSITIVE_INFINITY;
  if (end.isDate) return momentOf(zone, wallTimeAt(zone, end.at) + dayMs);
  return end.at + 1;
}

const daysOf = { daily: 1, weekly: 7, monthly: 31 } as const;

/** Hours are counted as they pass; days, weeks and months as clocks and calendars show them. */
function nextInterval(
  { frequency, interval = 1, timezone }: Recurrence,
  base: number,
  after: number,
) {
  if (frequency === undefined) return null;
  if (frequency === "hourly") {
    const intervalMs = interval * hourMs;
    return base + Math.max(0, Math.floor((after - base) / intervalMs) + 1) * intervalMs;
  }
  const first = wallTimeAt(timezone, base);
  const days = daysOf[frequency];
  let count = Math.max(0, Math.floor((after - base) / (interval * days * dayMs)) - 1);
  for (;;) {
    const wall =
      frequency === "monthly"
        ? addMonths(first, count * interval)
        : first + count * interval * days * dayMs;
    const time = momentOf(timezone, wall);
    if (time > after) return time;
    count += 1;
  }
}

/** The same day and time, or the last day of a month that is shorter. */
function addMonths(wall: number, months: number): number {
  const date = new Date(wall);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return (
    Date.UTC(year, month, Math.min(date.getUTCDate(), lastDay)) +
    (wall - Math.floor(wall / dayMs) * dayMs)
  );
}
