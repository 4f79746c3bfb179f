import { pause } from "@toolplane/core/lib/async/pause";
import { eitherSignal } from "@toolplane/core/lib/async/signals";
import { PlaneError, reportError, shuttingDown, toPlaneError } from "@toolplane/core/model/errors";
import type { PlaneEvent } from "@toolplane/core/model/events";
import type { Principal } from "@toolplane/core/model/principal";
import type { Begun, DueHandler, DueItem } from "@toolplane/core/model/store";
import { type JobManifest, usualRetries } from "@toolplane/core/model/work/job";
import type { Firing, JobSchedule, JobStore, KeptJobRun } from "@toolplane/core/model/work/job-run";
import { lookForRunsMs } from "@toolplane/core/work";
import { runGraph } from "../skills/skill-graph.ts";
import { type HeldRun, holdRun, leaseUntil } from "./hold-run.ts";
import { runTask, type TaskParts } from "./run-task.ts";
import { fire, isScheduled, type ScheduledJob, scheduleKey, scheduleOf } from "./schedule.ts";
import { factsOf, isRunOver, moveRun, newRun } from "./states.ts";

/** Another plane was faster, or the job's concurrency is used up. */
const soonMs = 1_000;
const dayMs = 24 * 3_600_000;

type EngineParts = {
  store(): Promise<JobStore>;
  /** Those that this plane knows: planes may share a store and not their manifests. */
  jobs(): Promise<readonly JobManifest[]>;
  isOurs?(run: KeptJobRun): boolean;
  emit(event: PlaneEvent): void;
  /** As whom a scheduled job runs; null when this plane may not run it. */
  principalFor(job: JobManifest): Principal | null;
  execute: ExecuteParts;
  /** Concurrent runs in this plane. */
  maxRuns(): number;
  keepMs(): number;
  loop: { isRunning(): boolean; wake(): void };
  /** How often a run of another plane is polled. */
  askMs(): number;
};

type ExecuteParts = {
  emit(event: PlaneEvent): void;
  /** Throws everything that is missing before anything begins. */
  check(job: JobManifest, run: KeptJobRun): Promise<void>;
  work(run: KeptJobRun): TaskParts["work"];
  onEnded(job: JobManifest, run: KeptJobRun): Promise<void>;
};

/** Turns the times that have come into runs; the store makes sure that each becomes one run. */
async function fireAll(
  { store, jobs: listJobs, emit, principalFor }: EngineParts,
  now: number,
): Promise<void> {
  const jobs = await store();
  const due = await jobs.dueJobSchedules(new Date(now).toISOString());
  if (due.length === 0) return;
  const jobByKey = byKey(await listJobs());
  const firings = await Promise.all(
    due.flatMap((schedule) => {
      const job = jobByKey.get(scheduleKey(schedule.job, schedule.owner));
      if (!job || !isScheduled(job)) return [];
      const principal = principalFor(job);
      if (principal === null) return [];
      return [fireOne(jobs, { job, principal }, schedule, now)];
    }),
  );
  const written = await jobs.fireJobSchedules(firings);
  const runs = firings.flatMap((firing, index) => (written[index] ? firing.runs : []));
  for (const run of runs) emit({ type: "job.scheduled", ...factsOf(run), origin: run.origin });
}

async function fireOne(
  jobs: JobStore,
  { job, principal }: { job: ScheduledJob; principal: Principal },
  schedule: JobSchedule,
  now: number,
): Promise<Firing> {
  const { times, next } = fire(job, schedule, now);
  const waitingFilter = {
    job: job.name,
    owner: job.persona ?? null,
    state: "scheduled",
    origin: "schedule",
  } as const;
  // One waiting run is enough, unless each time counts.
  const isWaiting =
    job.recurrence.missed !== "all" &&
    (await jobs.jobRuns({ ...waitingFilter, limit: 1 })).length > 0;
  const make = (scheduledFor: string) =>
    newRun(job, { principal, persona: principal.persona, origin: "schedule", scheduledFor }, now);
  return { schedule: next, runs: isWaiting ? [] : times.map(make) };
}

/** Writes schedules as the manifests have them now. */
async function synchronize(parts: EngineParts): Promise<void> {
  const jobs = await parts.store();
  const scheduleByKey = new Map(
    (await jobs.jobSchedules()).map((schedule) => [
      scheduleKey(schedule.job, schedule.owner),
      schedule,
    ]),
  );
  const now = Date.now();
  const changed = (await parts.jobs()).filter(isScheduled).flatMap((job) => {
    const previousSchedule = scheduleByKey.get(scheduleKey(job.name, job.persona ?? null)) ?? null;
    const schedule = scheduleOf(job, previousSchedule, now);
    // Revision 0 is a copy of what all configurations shared.
    return schedule === previousSchedule && schedule.revision > 0 ? [] : [schedule];
  });
  if (changed.length > 0) await jobs.putJobSchedules(changed);
}

const jobsByList = new WeakMap<readonly JobManifest[], ReadonlyMap<string, JobManifest>>();

/** Made once for each list: there may be thousands, looked up whenever a run ends. */
function byKey(jobs: readonly JobManifest[]): ReadonlyMap<string, JobManifest> {
  const jobByKey =
    jobsByList.get(jobs) ??
    new Map(jobs.map((job) => [scheduleKey(job.name, job.persona ?? null), job]));
  jobsByList.set(jobs, jobByKey);
  return jobByKey;
}

export type Engine = ReturnType<typeof createEngine>;

type Active = { done: Promise<void>; cancel: AbortController; held: HeldRun };

type State = {
  readonly parts: EngineParts;
  readonly stopping: AbortController;
  readonly active: Map<string, Active>;
  readonly waiting: Set<() => void>;
  cleanAt: number;
  /** As of the last look: a look begins many runs. */
  jobByKey: Promise<ReadonlyMap<string, JobManifest>> | null;
};

/** Makes runs when they are due, begins those it is given, and continues those whose plane is gone. */
export function createEngine(parts: EngineParts) {
  const stopping = new AbortController();
  const active = new Map<string, Active>();
  const state: State = { parts, stopping, active, waiting: new Set(), cleanAt: 0, jobByKey: null };
  const handler: DueHandler = {
    kind: "run",
    lookMs: lookForRunsMs,
    room: () => (stopping.signal.aborted ? 0 : parts.maxRuns() - active.size),
    onLook: (now, hasJumpedBack) => look(state, now, hasJumpedBack),
    begin: (item) => begin(state, item),
  };
  return {
    handler,
    synchronize: () => synchronize(parts),
    isRunning: parts.loop.isRunning,
    wake: parts.loop.wake,
    async beginHere(run: KeptJobRun): Promise<boolean> {
      state.jobByKey = null;
      const job = await find(state, run);
      return job !== undefined && (await claim(state, run, job)) !== null;
    },
    /** False when this plane does not run it. */
    cancelHere(id: string): boolean {
      const activeRun = active.get(id);
      activeRun?.cancel.abort(new Error("the run was cancelled"));
      return activeRun !== undefined;
    },
    /** Another plane has ended a run, which may be active or awaited here. */
    heard(id: string): void {
      void active.get(id)?.held.renew();
      wakeWaiting(state);
    },
    ended: (id: string, patience: WaitOptions) => waitForEnd(state, id, patience),
    async stop(): Promise<void> {
      stopping.abort(shuttingDown());
      await Promise.all([...active.values()].map(({ done }) => done));
    },
  };
}

async function look(state: State, now: number, hasJumpedBack: boolean): Promise<void> {
  const { parts, stopping } = state;
  state.jobByKey = null;
  if (hasJumpedBack || state.cleanAt === 0) await synchronize(parts);
  if (now >= state.cleanAt) {
    const before = new Date(now - parts.keepMs()).toISOString();
    while ((await (await parts.store()).forgetJobRuns(before)) > 0 && !stopping.signal.aborted);
    state.cleanAt = now + dayMs;
  }
  await fireAll(parts, now);
}

async function begin(state: State, { id, dueAt }: DueItem): Promise<Begun> {
  const { parts, active } = state;
  const run = await (await parts.store()).jobRun(id);
  const now = Date.now();
  if (run === null || run.dueAt === null) return { is: "over" };
  // The store's own clock says so, which counts where the clock of the plane that made it is off.
  const isDue = dueAt === run.dueAt || Date.parse(run.dueAt) <= now;
  // It is leased already.
  if (active.has(id) || !isDue) return { is: "later", at: Date.parse(run.dueAt) };
  const job = await find(state, run);
  if (job === undefined) return { is: "unknown" };
  if (run.origin === "schedule" && parts.principalFor(job) === null)
    return { is: "later", at: now + lookForRunsMs };
  const activeRun = await claim(state, run, job);
  if (activeRun === null) return { is: "later", at: now + soonMs };
  return { is: "begun", ended: endOf(state, activeRun) };
}

async function find(state: State, run: KeptJobRun): Promise<JobManifest | undefined> {
  const { job, owner } = run;
  if (state.parts.isOurs?.(run) === false) return undefined;
  state.jobByKey ??= state.parts.jobs().then(byKey);
  return (await state.jobByKey).get(scheduleKey(job, owner));
}

/** Null when another plane has it, or when the job's concurrency is used up. */
async function claim(state: State, run: KeptJobRun, job: JobManifest): Promise<Active | null> {
  const { parts, active, stopping } = state;
  const now = Date.now();
  const begun = run.state === "running" ? run : moveRun(run, "running", now);
  const claimed = { ...begun, starts: run.starts + 1, dueAt: leaseUntil(now) };
  const jobs = await parts.store();
  if (active.has(run.id) || stopping.signal.aborted) return null;
  if (!(await jobs.claimJobRun(claimed, new Date(now).toISOString()))) return null;
  const storing = { replace: jobs.replaceJobRun, read: jobs.jobRun, stopping: stopping.signal };
  const held = holdRun({ ...claimed, revision: run.revision + 1 }, storing);
  const cancel = new AbortController();
  const done = executeRun(held, job, parts.execute, {
    stopping: stopping.signal,
    cancelled: cancel.signal,
  })
    // A run that could not be written is taken over when its lease is over.
    .catch(held.end)
    .finally(() => {
      active.delete(run.id);
      wakeWaiting(state);
    });
  const activeRun = { done, cancel, held };
  active.set(run.id, activeRun);
  return activeRun;
}

function wakeWaiting({ waiting }: State): void {
  for (const wake of waiting) wake();
}

/** When it is due again; the store knows, where another plane has it. */
async function endOf({ parts }: State, { done, held }: Active): Promise<number | null> {
  await done;
  const storedRun = held.lost.aborted
    ? await (await parts.store()).jobRun(held.current().id)
    : held.current();
  if (storedRun?.dueAt) return Date.parse(storedRun.dueAt);
  return null;
}

type WaitOptions = { waitMs: number; signal?: AbortSignal | undefined };

/** The run once it is over, or as it is after this time. */
async function waitForEnd(
  { parts, waiting }: State,
  id: string,
  { waitMs, signal }: WaitOptions,
): Promise<KeptJobRun | null> {
  const until = performance.now() + waitMs;
  for (;;) {
    const woken = Promise.withResolvers<void>();
    waiting.add(woken.resolve);
    const waitOver = new AbortController();
    try {
      const run = await (await parts.store()).jobRun(id);
      const remainingMs = until - performance.now();
      if (run === null || isRunOver(run.state) || remainingMs <= 0 || signal?.aborted) return run;
      const waitSignal = eitherSignal(signal, waitOver.signal);
      await Promise.race([
        woken.promise,
        pause(Math.min(parts.askMs(), remainingMs), { signal: waitSignal }),
      ]);
    } finally {
      waitOver.abort();
      waiting.delete(woken.resolve);
    }
  }
}

type Signals = { stopping: AbortSignal; cancelled: AbortSignal };

/** A run from where it stands to its end. `stopping` leaves it to another plane, `cancelled` ends it. */
async function executeRun(
  held: HeldRun,
  job: JobManifest,
  parts: ExecuteParts,
  { stopping, cancelled }: Signals,
): Promise<void> {
  parts.emit({ type: "job.started", ...factsOf(held.current()), start: held.current().starts });
  const signal = AbortSignal.any([stopping, cancelled, held.lost]);
  const error = await runTasks(held, job, parts, signal).catch(toPlaneError);
  if (held.lost.aborted) return held.end();
  if (stopping.aborted && !cancelled.aborted && !isFinished(held.current())) return held.release();
  const outcome = error === null ? "succeeded" : "failed";
  const state = cancelled.aborted ? "cancelled" : outcome;
  const report = state === "failed" && error !== null ? reportError(error) : null;
  try {
    await parts.onEnded(job, await held.write((run) => moveRun(run, state, Date.now(), report)));
  } finally {
    held.end();
  }
}

async function runTasks(
  held: HeldRun,
  job: JobManifest,
  parts: ExecuteParts,
  signal: AbortSignal,
): Promise<PlaneError | null> {
  // A plane may have stopped before it could write that the run had failed.
  const broken = held.current().tasks.find(({ state }) => state === "cancelled");
  if (broken)
    return new PlaneError(
      broken.error?.code ?? "CANCELLED",
      broken.error?.message ?? "It was cancelled.",
    );
  await parts.check(job, held.current());
  const taskParts: TaskParts = {
    held,
    retry: job.retry ?? usualRetries,
    work: parts.work(held.current()),
    onMoved(run, name) {
      const task = run.tasks.find((runTask) => runTask.task === name);
      if (task === undefined) return;
      const { state, error } = task;
      parts.emit({
        type: "job.task",
        ...factsOf(run),
        task: name,
        state,
        code: error?.code ?? null,
      });
    },
  };
  const openTasks = held.current().tasks.filter(({ state }) => state !== "done");
  const isOpen = (name: string) => openTasks.some(({ task }) => task === name);
  const nodes = openTasks.map(({ task, dependsOn }) => ({
    id: task,
    dependsOn: dependsOn.filter(isOpen),
  }));
  const { error } = await runGraph(nodes, {
    signal,
    work: (name, taskSignal) => runTask(name, taskParts, taskSignal).then(() => true),
    leaveOut: async () => undefined,
  });
  return error;
}

function isFinished({ state, tasks }: KeptJobRun): boolean {
  return (
    isRunOver(state) ||
    tasks.every((task) => task.state === "done") ||
    tasks.some((task) => task.state === "cancelled")
  );
}
