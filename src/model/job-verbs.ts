import type { JobListing } from "./catalogue/registry-summary.ts";
import type { JsonObject } from "./json.ts";
import type { AbortSignal } from "./platform.ts";
import type { Caller } from "./principal.ts";
import type { JobRun, JobRunState } from "./work/job-run.ts";

/** A job with when it is due and how it went last. */
export type JobStatus = JobListing & {
  /** The times that come next, five at most; none while it is paused. */
  upcoming: string[];
  /** Runs that are under way or wait for their turn. */
  active: number;
  lastRun: JobRun | null;
};

/** Which runs of a job. */
export type JobRunQuery = { state?: JobRunState; limit?: number; cursor?: string };
/** Runs of a job, a page at a time. */
export type JobRunPage = { runs: JobRun[]; nextCursor: string | null };

/** How a job is begun. */
export type RunJobOptions = Caller & {
  input?: JsonObject;
  /** Asking twice with one key is asking once. */
  idempotencyKey?: string;
  /** Until it is over, or so many milliseconds; not at all when left out. */
  wait?: boolean | number;
  signal?: AbortSignal;
};

/** Work that is done without anybody watching. */
export interface JobVerbs {
  /** One job with when it is due and how it went last. */
  job(name: string, caller?: Caller): Promise<JobStatus>;
  /**
   * Begins a run now, or as soon as the job's other runs leave room. Where nothing is scheduled it is done here.
   *
   * @example
   * const { state, tasks } = await plane.runJob("digest", { wait: true });
   */
  runJob(name: string, options?: RunJobOptions): Promise<JobRun>;
  /** The same once more: a run of its own with the same input. */
  rerunJob(run: string, options?: Omit<RunJobOptions, "input">): Promise<JobRun>;
  /** It is not begun by the clock until it is resumed; runs that are under way go on. */
  pauseJob(name: string, caller?: Caller): Promise<JobStatus>;
  /** Times that passed meanwhile are not made up for. */
  resumeJob(name: string, caller?: Caller): Promise<JobStatus>;
  /** Cancels a run that is under way or waits. */
  cancelJobRun(run: string, caller?: Caller): Promise<JobRun>;
  /** One run of a job. */
  jobRun(run: string, caller?: Caller): Promise<JobRun>;
  /** Newest first: the caller's own and those by the clock, everybody's for admins. */
  jobRuns(job: string, query?: JobRunQuery, caller?: Caller): Promise<JobRunPage>;
}
