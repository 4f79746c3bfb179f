import type { ErrorReport } from "../errors.ts";
import type { Json, JsonObject } from "../json.ts";
import type { Principal } from "../principal.ts";
import type { StepRun } from "./skill-run.ts";

export const jobRunStates = ["draft", "scheduled", "running", "succeeded", "failed", "cancelled"] as const;
/** Where a run of a job is. */
export type JobRunState = (typeof jobRunStates)[number];

export const taskStates = ["draft", "ready", "in_progress", "review", "done", "cancelled"] as const;
/** Where a task of a run is. */
export type TaskState = (typeof taskStates)[number];

/** A task that failed is cancelled and has an error. */
export type TaskRun = {
  task: string;
  dependsOn: string[];
  state: TaskState;
  attempts: number;
  startedAt: string | null;
  endedAt: string | null;
  /** It failed in a way that does no harm to be tried again, and rests until then. */
  nextAttemptAt: string | null;
  error: ErrorReport | null;
  steps: StepRun[];
};

/** One time that a job is done. */
export type JobRun = {
  id: string;
  job: string;
  /** The persona it belongs to; null when it is shared. */
  owner: string | null;
  user: string | null;
  /** As whom it is done. */
  persona: string | null;
  origin: "schedule" | "request" | "rerun";
  /** The scheduled time; null when it was requested. */
  scheduledFor: string | null;
  rerunOf: string | null;
  state: JobRunState;
  priority: number;
  /** Stands for this run at every tool that takes a key, however often it is begun. */
  idempotencyKey: string;
  /** How often a plane began or went on with it. */
  starts: number;
  createdAt: string;
  startedAt: string | null;
  endedAt: string | null;
  tasks: TaskRun[];
  error: ErrorReport | null;
};

export type KeptStep = StepRun & {
  /** Does it do no harm to be done twice? */
  repeatable: boolean;
  /** Left out where it was too large to be kept. */
  result?: Json;
};
export type KeptTask = Omit<TaskRun, "steps"> & { steps: KeptStep[]; result?: Json; input?: JsonObject };

/** The run with what only the plane needs. */
export type KeptJobRun = Omit<JobRun, "tasks"> & {
  tasks: KeptTask[];
  /** Rises with every change: who read an older one may not write. */
  revision: number;
  /** Nothing else may be begun under the same name. */
  slot: string;
  principal: Principal;
  input: JsonObject;
  /** So many runs of its job at a time. */
  most: number;
  /** When something has to be done about it: begin it, or take it from a plane that is gone. Null when it is over. */
  dueAt: string | null;
};

/** When a job is due next, and who has said that it is not. */
export type JobSchedule = {
  job: string;
  owner: string | null;
  /** What it was reckoned from: when that changes, so does the time. */
  recurrence: string;
  /** Where intervals are counted from. */
  anchor: string;
  /** Null when it does not come again. */
  nextAt: string | null;
  priority: number;
  paused: { at: string; by: string | null } | null;
  revision: number;
};

export type JobRunFilter = {
  job?: string;
  owner?: string | null;
  state?: JobRunState;
  origin?: JobRun["origin"];
  /** Runs of this user and scheduled ones; all without. */
  seenBy?: string | null;
  limit?: number;
  /** The id of the last run of the page before. */
  before?: string;
};

/** What a caller may see of it. */
export function showJobRun(run: KeptJobRun): JobRun {
  const {
    revision: _revision,
    slot: _slot,
    principal: _principal,
    input: _input,
    most: _most,
    dueAt: _dueAt,
    tasks,
    ...shown
  } = run;
  return { ...shown, tasks: tasks.map(showTask) };
}

function showTask({ steps, result: _result, input: _input, ...task }: KeptTask): TaskRun {
  return { ...task, steps: steps.map(({ repeatable: _repeatable, result: _said, ...step }) => step) };
}

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
  /** False when it was changed since it was read. */
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
