import type { Json, JsonObject } from "../json.ts";
import type { Principal } from "../principal.ts";
import type { JobRun, StepRun, TaskRun } from "./run-schema.ts";

export const jobRunStates = [
  "draft",
  "scheduled",
  "running",
  "succeeded",
  "failed",
  "cancelled",
] as const;
/** The state of a job's run. */
export type JobRunState = (typeof jobRunStates)[number];

export const taskStates = ["draft", "ready", "in_progress", "review", "done", "cancelled"] as const;
/** The state of a task in a run. */
export type TaskState = (typeof taskStates)[number];

export type KeptStep = StepRun & {
  /** Can it run twice without harm? */
  repeatable: boolean;
  result?: Json;
};
export type KeptTask = Omit<TaskRun, "steps"> & {
  steps: KeptStep[];
  result?: Json;
  input?: JsonObject;
};

/** With what only the plane needs. */
export type KeptJobRun = Omit<JobRun, "tasks"> & {
  tasks: KeptTask[];
  /** Rises with every change: only the newest may be written. */
  revision: number;
  /** Unique: one run per slot. */
  slot: string;
  principal: Principal;
  input: JsonObject;
  /** The job's concurrency limit. */
  most: number;
  /** When to start it, or to take it from a plane that is gone. Null when it is over. */
  dueAt: string | null;
  /** The configuration that it was asked for in; none where planes share what is stored. */
  files?: readonly string[];
};

/** The next time of a job, and its pause. */
export type JobSchedule = {
  job: string;
  owner: string | null;
  /** When it changes, so does the time. */
  recurrence: string;
  /** Where intervals count from. */
  anchor: string;
  nextAt: string | null;
  priority: number;
  paused: { at: string; by: string | null } | null;
  revision: number;
  /** The configuration whose job it is; none where planes share what is stored. */
  files?: readonly string[];
};

export type JobRunFilter = {
  job?: string;
  owner?: string | null;
  state?: JobRunState;
  origin?: JobRun["origin"];
  /** This user's and scheduled ones. Default: all. */
  seenBy?: string | null;
  limit?: number;
  before?: string;
};

export function jobRunView(run: KeptJobRun): JobRun {
  const { revision, slot, principal, input, most, dueAt, files, tasks, ...shown } = run;
  return { ...shown, tasks: tasks.map(showTask) };
}

function showTask({ steps, result, input, ...task }: KeptTask): TaskRun {
  return { ...task, steps: steps.map(({ repeatable, result: _, ...step }) => step) };
}

/** A schedule that moved on, and its new runs. */
export type Firing = { schedule: JobSchedule; runs: readonly KeptJobRun[] };

export interface JobStore {
  jobSchedule(
    job: string,
    owner: string | null,
    files?: readonly string[],
  ): Promise<JobSchedule | null>;
  jobSchedules(): Promise<JobSchedule[]>;
  /** Each unless it changed since it was read; returns which were written. */
  putJobSchedules(schedules: readonly JobSchedule[]): Promise<boolean[]>;
  dueJobSchedules(now: string): Promise<JobSchedule[]>;
  /** Each schedule with its runs, or neither; returns which were written. */
  fireJobSchedules(firings: readonly Firing[]): Promise<boolean[]>;
  /** Returns the existing run of its slot instead, or of one of the user's earlier slots, where there is one. */
  addJobRun(run: KeptJobRun, ...earlierSlots: (string | undefined)[]): Promise<KeptJobRun>;
  jobRun(id: string): Promise<KeptJobRun | null>;
  replaceJobRun(run: KeptJobRun): Promise<boolean>;
  /** The same for a start; also false at the job's concurrency limit. */
  claimJobRun(run: KeptJobRun, now: string): Promise<boolean>;
  jobRuns(filter: JobRunFilter): Promise<KeptJobRun[]>;
  activeJobRuns(job: string, owner: string | null): Promise<number>;
  forgetJobRuns(before: string): Promise<number>;
}
