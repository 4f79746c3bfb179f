import { uniqueId } from "@toolplane/core/lib/ids-and-time";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { PlaneError } from "@toolplane/core/model/errors";
import type { ErrorReport } from "@toolplane/core/model/errors-schema";
import type { JsonObject } from "@toolplane/core/model/json";
import { ownerOf, type Principal } from "@toolplane/core/model/principal";
import type { JobManifest } from "@toolplane/core/model/work/job";
import type {
  JobRunState,
  KeptJobRun,
  KeptTask,
  TaskState,
} from "@toolplane/core/model/work/job-run";

/** The states that may follow. A run whose plane is gone stays running until another plane continues or ends it. */
export const runArrows: Readonly<Record<JobRunState, readonly JobRunState[]>> = {
  draft: ["scheduled", "running", "cancelled"],
  scheduled: ["running", "cancelled"],
  running: ["succeeded", "failed", "cancelled"],
  succeeded: [],
  failed: [],
  cancelled: [],
};

/** A task that is tried again stays in progress. */
export const taskArrows: Readonly<Record<TaskState, readonly TaskState[]>> = {
  draft: ["ready", "cancelled"],
  ready: ["in_progress", "cancelled"],
  in_progress: ["review", "cancelled"],
  review: ["done", "cancelled"],
  done: [],
  cancelled: [],
};

export function isRunOver(state: JobRunState): boolean {
  return runArrows[state].length === 0;
}

const isSettled = ({ state }: KeptTask) => taskArrows[state].length === 0;

/** The run in its new state. `error` is for a run that fails. */
export function moveRun(
  run: KeptJobRun,
  state: JobRunState,
  now: number,
  error: ErrorReport | null = null,
): KeptJobRun {
  if (!runArrows[run.state].includes(state)) throw conflict(run, state);
  if (state === "succeeded" && !run.tasks.every((task) => task.state === "done"))
    throw new PlaneError(
      "CONFLICT",
      `Run '${run.id}' cannot succeed before all its tasks are done.`,
    );
  const timestamp = new Date(now).toISOString();
  if (!isRunOver(state))
    return { ...run, state, startedAt: state === "running" ? timestamp : run.startedAt };
  const cancelled = { state: "cancelled", endedAt: timestamp, nextAttemptAt: null } as const;
  const tasks = run.tasks.map((task) =>
    withoutStepResults(isSettled(task) ? task : { ...task, ...cancelled }),
  );
  return { ...run, state, tasks, error, endedAt: timestamp, dueAt: null };
}

/** The same for one of its tasks. */
export function moveTask(
  run: KeptJobRun,
  name: string,
  state: TaskState,
  now: number,
  changes: Partial<KeptTask> = {},
): KeptJobRun {
  const timestamp = new Date(now).toISOString();
  return changeTask(run, name, (task) => {
    if (!taskArrows[task.state].includes(state))
      throw new PlaneError(
        "CONFLICT",
        `Task '${name}' is ${task.state} and cannot become ${state}.`,
      );
    const waitsFor = task.dependsOn.find(
      (dependency) =>
        !run.tasks.some(
          (dependedTask) => dependedTask.task === dependency && isSettled(dependedTask),
        ),
    );
    if (state === "ready" && waitsFor !== undefined)
      throw new PlaneError("CONFLICT", `Task '${name}' cannot begin before '${waitsFor}' is over.`);
    const moved = {
      ...task,
      state,
      ...withoutUndefined({ startedAt: state === "in_progress" ? timestamp : undefined }),
      ...changes,
    };
    if (isSettled(moved)) return { ...moved, endedAt: timestamp, nextAttemptAt: null };
    return moved;
  });
}

export function changeTask(
  run: KeptJobRun,
  name: string,
  change: (task: KeptTask) => KeptTask,
): KeptJobRun {
  return { ...run, tasks: run.tasks.map((task) => (task.task === name ? change(task) : task)) };
}

/** Only later steps read the results of steps, and a run that is over has none. */
function withoutStepResults({ result: _result, steps, ...task }: KeptTask): KeptTask {
  return { ...task, steps: steps.map(({ result: _stepResult, ...step }) => step) };
}

function conflict({ id, state: currentState }: KeptJobRun, state: JobRunState): PlaneError {
  const why = isRunOver(currentState)
    ? "it is over. 'jobs rerun' begins another"
    : "wait until it has moved on";
  return new PlaneError(
    "CONFLICT",
    `Run '${id}' is ${currentState} and cannot become ${state}: ${why}.`,
    {
      data: { run: id, state: currentState },
    },
  );
}

export type JobRunRequest = {
  principal: Principal;
  persona: string | null;
  origin: KeptJobRun["origin"];
  input?: JsonObject;
  scheduledFor?: string;
  rerunOf?: string;
  /** The idempotency key. */
  key?: string;
};

export function newRun(job: JobManifest, request: JobRunRequest, now: number): KeptJobRun {
  const { principal, origin, scheduledFor = null, rerunOf = null, key, input = {} } = request;
  const { name, persona: owner = null, priority, concurrency } = job;
  const id = uniqueId();
  const timestamp = new Date(now).toISOString();
  const slot = slotOf(name, owner, request, id);
  const unstarted = { startedAt: null, endedAt: null, error: null };
  const tasks = job.task_graph.map(
    (node): KeptTask => ({
      ...unstarted,
      task: node.task,
      dependsOn: [...node.depends_on],
      state: "draft",
      attempts: 0,
      nextAttemptAt: null,
      steps: [],
      ...withoutUndefined({ input: node.input as JsonObject | undefined }),
    }),
  );
  const run: KeptJobRun = {
    ...unstarted,
    id,
    job: name,
    owner,
    user: principal.user,
    persona: request.persona,
    createdAt: timestamp,
    origin,
    scheduledFor,
    rerunOf,
    state: "draft",
    priority,
    starts: 0,
    tasks,
    revision: 1,
    slot,
    principal,
    input: { ...job.input, ...input },
    most: concurrency,
    dueAt: scheduledFor ?? timestamp,
    idempotencyKey: `job-${valueHash(key === undefined ? slot : [slot, key])}`,
  };
  return moveRun(run, "scheduled", now);
}

/** One slot per scheduled time, whichever plane notices it. */
function slotOf(job: string, owner: string | null, request: JobRunRequest, id: string): string {
  const { scheduledFor, key, principal } = request;
  if (scheduledFor !== undefined) return JSON.stringify(["schedule", job, owner, scheduledFor]);
  if (key === undefined) return id;
  return JSON.stringify(["request", job, owner, ownerOf(principal), key]);
}

/** The slot of a request as version 0.1 wrote it, by its user. Such runs count for their keys while they are kept. */
export function earlierSlotOf(
  { name, persona }: JobManifest,
  { key, principal }: JobRunRequest,
): string | undefined {
  if (key === undefined) return undefined;
  return JSON.stringify(["request", name, persona ?? null, principal.user, key]);
}

/** What events about a run have in common. */
export function factsOf({
  id,
  user,
  job,
  principal: { key },
}: Pick<KeptJobRun, "id" | "user" | "job" | "principal">) {
  return { runId: id, user, ...withoutUndefined({ key }), job };
}

/** Fit for a header, and the same for the same things. */
export function valueHash(value: unknown): string {
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 32);
}
