import type { JobRunFilter, JobSchedule, KeptJobRun } from "./job-run.ts";

/** A schedule that has moved on, and the runs that it made. */
export type Firing = { schedule: JobSchedule; runs: readonly KeptJobRun[] };

/** Jobs that are due, and what became of their runs. */
export interface JobStore {
  jobSchedule(job: string, owner: string | null): Promise<JobSchedule | null>;
  jobSchedules(): Promise<JobSchedule[]>;
  /** Each where it is still as it was read, or new; tells which were written. */
  putJobSchedules(schedules: readonly JobSchedule[]): Promise<boolean[]>;
  /** The most urgent first. */
  dueJobSchedules(now: string): Promise<JobSchedule[]>;
  /** Each schedule with its runs or neither; tells which were written. */
  fireJobSchedules(firings: readonly Firing[]): Promise<boolean[]>;
  /** Adds it, or gives back the one that has its slot. */
  addJobRun(run: KeptJobRun): Promise<KeptJobRun>;
  jobRun(id: string): Promise<KeptJobRun | null>;
  /** False when somebody else has changed it since it was read. */
  replaceJobRun(run: KeptJobRun): Promise<boolean>;
  /** The same for one that begins; false also when as many of its job run as may. */
  claimJobRun(run: KeptJobRun, now: string): Promise<boolean>;
  /** Newest first. */
  jobRuns(filter: JobRunFilter): Promise<KeptJobRun[]>;
  /** How many of a job wait or are under way. */
  activeJobRuns(job: string, owner: string | null): Promise<number>;
  /** Removes runs that were over before, some at a time; is to be asked again until there are none. */
  forgetJobRuns(before: string): Promise<number>;
}
