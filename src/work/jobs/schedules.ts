import type { PlaneEvent } from "../../model/events.ts";
import type { JobManifest } from "../../model/job.ts";
import type { JobSchedule } from "../../model/job-run.ts";
import type { Firing, JobStore } from "../../model/job-store.ts";
import type { Principal } from "../../model/principal.ts";
import { newRun } from "./new-run.ts";
import { fire, isScheduled, type ScheduledJob, scheduleOf } from "./schedule.ts";

export type ScheduleParts = {
  store(): Promise<JobStore>;
  /** Those this plane knows. Several planes may share a store and not their manifests. */
  jobs(): Promise<readonly JobManifest[]>;
  emit(event: PlaneEvent): void;
  /** As whom a job is done by the clock; null when it is not for this plane to do. */
  principalFor(job: JobManifest): Principal | null;
};

/** When jobs are due: kept beside their runs, so that a time is turned into a run once. */
export function createSchedules(parts: ScheduleParts) {
  const { store, emit } = parts;

  /** Makes the runs whose time has come. */
  async function fireAll(now: number): Promise<void> {
    const jobs = await store();
    const due = await jobs.dueJobSchedules(new Date(now).toISOString());
    if (due.length === 0) return;
    const known = byKey(await parts.jobs());
    const firings = await Promise.all(
      due.flatMap((schedule) => {
        const job = known.get(keyOf(schedule.job, schedule.owner));
        if (!job || !isScheduled(job)) return [];
        const principal = parts.principalFor(job);
        return principal === null ? [] : [fireOne(jobs, { job, principal }, schedule, now)];
      }),
    );
    const written = await jobs.fireJobSchedules(firings);
    for (const [at, { runs }] of firings.entries())
      for (const run of written[at] ? runs : [])
        emit({ type: "job.scheduled", runId: run.id, user: run.user, job: run.job, origin: run.origin });
  }

  async function fireOne(
    jobs: JobStore,
    { job, principal }: { job: ScheduledJob; principal: Principal },
    schedule: JobSchedule,
    now: number,
  ): Promise<Firing> {
    const { times, next } = fire(job, schedule, now);
    // One by the clock that waits already is enough, unless each time counts.
    const waiting = { state: "scheduled", origin: "schedule", limit: 1 } as const;
    const isWaiting =
      job.recurrence.missed !== "all" &&
      (await jobs.jobRuns({ job: job.name, owner: job.persona ?? null, ...waiting })).length > 0;
    const make = (scheduledFor: string) =>
      newRun(job, { principal, persona: principal.persona, origin: "schedule", scheduledFor }, now);
    return { schedule: next, runs: isWaiting ? [] : times.map(make) };
  }

  /** Schedules as the manifests have them now. */
  async function synchronize(): Promise<void> {
    const jobs = await store();
    const known = new Map((await jobs.jobSchedules()).map((one) => [keyOf(one.job, one.owner), one]));
    const now = Date.now();
    const changed = (await parts.jobs()).filter(isScheduled).flatMap((job) => {
      const before = known.get(keyOf(job.name, job.persona ?? null)) ?? null;
      const schedule = scheduleOf(job, before, now);
      return schedule === before ? [] : [schedule];
    });
    if (changed.length > 0) await jobs.putJobSchedules(changed);
  }

  return { fireAll, synchronize };
}

export function keyOf(job: string, owner: string | null): string {
  return JSON.stringify([job, owner]);
}

const maps = new WeakMap<readonly JobManifest[], ReadonlyMap<string, JobManifest>>();

/** Made once for each list: there may be thousands, and somebody looks whenever a run ends. */
export function byKey(jobs: readonly JobManifest[]): ReadonlyMap<string, JobManifest> {
  const known = maps.get(jobs) ?? new Map(jobs.map((job) => [keyOf(job.name, job.persona ?? null), job]));
  maps.set(jobs, known);
  return known;
}
