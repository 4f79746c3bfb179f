import { stableJson } from "../../lib/json/stable-json.ts";
import type { JobListing } from "../../model/catalogue/registry-summary.ts";
import type { JobManifest, Recurrence } from "../../model/work/job.ts";
import type { JobSchedule, JobStore } from "../../model/work/job-run.ts";
import { lastTimes, nextTime } from "./recurrence.ts";

/** Later than this, a time counts as missed. */
export const graceMs = 60_000;
/** So many missed times are made up for; older ones are left out. */
const maxMadeUp = 100;

export type ScheduledJob = JobManifest & { recurrence: Recurrence };

export function isScheduled(job: JobManifest): job is ScheduledJob {
  return job.recurrence !== undefined;
}

/** A schedule as the manifest has it now; the same one back where nothing has to be written. */
export function scheduleOf(job: ScheduledJob, known: JobSchedule | null, now: number): JobSchedule {
  const recurrence = stableJson(job.recurrence);
  const isSame = known?.recurrence === recurrence;
  const anchor = known?.anchor ?? new Date(now).toISOString();
  const next = isoOf(nextTime(job.recurrence, Date.parse(anchor), now));
  // A clock that was ahead has left a time behind that is too late.
  const nextAt = isSame && known.nextAt !== null && next !== null && known.nextAt < next ? known.nextAt : next;
  const { priority } = job;
  if (isSame && known.nextAt === nextAt && known.priority === priority) return known;
  const { name, persona: owner = null } = job;
  const { paused = null, revision = 0 } = known ?? {};
  return { job: name, owner, recurrence, anchor, nextAt, priority, paused, revision };
}

/** The times that runs are made for now, and the schedule after that. */
export function fire(job: ScheduledJob, schedule: JobSchedule, now: number): { times: string[]; next: JobSchedule } {
  const { recurrence } = job;
  const anchor = Date.parse(schedule.anchor);
  const span = { from: Date.parse(schedule.nextAt ?? ""), to: now };
  const most = recurrence.missed === "all" ? maxMadeUp : 1;
  const times = lastTimes(recurrence, anchor, { ...span, most });
  const meant = recurrence.missed === "skip" ? times.filter((at) => now - at <= graceMs) : times;
  const next = { ...schedule, nextAt: isoOf(nextTime(recurrence, anchor, now)) };
  return { times: meant.map((at) => new Date(at).toISOString()), next };
}

/** For people who look at the job. */
export function showSchedule(job: JobManifest, known: JobSchedule | null): JobListing["schedule"] {
  if (!isScheduled(job)) return { state: "on_request", nextAt: null, pausedAt: null, pausedBy: null };
  const { nextAt, paused } = known ?? scheduleOf(job, null, Date.now());
  const state = paused !== null ? "paused" : nextAt === null ? "over" : "scheduled";
  return {
    state,
    nextAt: paused === null ? nextAt : null,
    pausedAt: paused?.at ?? null,
    pausedBy: paused?.by ?? null,
  };
}

/** So many times are told ahead. */
const toldAhead = 5;

/** The times that come next, the first of them included. */
export function upcomingTimes(job: JobManifest, known: JobSchedule | null): string[] {
  if (!isScheduled(job)) return [];
  const { nextAt, paused, anchor } = known ?? scheduleOf(job, null, Date.now());
  const times: string[] = [];
  let at = paused === null ? nextAt : null;
  while (at !== null && times.length < toldAhead) {
    times.push(at);
    at = isoOf(nextTime(job.recurrence, Date.parse(anchor), Date.parse(at)));
  }
  return times;
}

/** From so many on all of them are read at once. */
const manyJobs = 50;

/** The same for several, in their order. */
export async function showSchedules(
  jobs: readonly JobManifest[],
  store: Pick<JobStore, "jobSchedule" | "jobSchedules">,
): Promise<JobListing["schedule"][]> {
  const keyOf = (name: string, owner: string | null) => JSON.stringify([name, owner]);
  const all = jobs.length < manyJobs ? null : await store.jobSchedules();
  const known = all && new Map(all.map((one) => [keyOf(one.job, one.owner), one]));
  return Promise.all(
    jobs.map(async (job) => {
      const { name, persona = null } = job;
      if (!isScheduled(job)) return showSchedule(job, null);
      const found = known ? known.get(keyOf(name, persona)) : await store.jobSchedule(name, persona);
      return showSchedule(job, found ?? null);
    }),
  );
}

function isoOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
