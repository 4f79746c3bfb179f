import { pause } from "../lib/pause.ts";
import type { JobManifest } from "../model/job.ts";
import type { KeptJobRun } from "../model/job-run.ts";
import { createClock } from "./clock.ts";
import { type ExecuteParts, executeRun } from "./execute-run.ts";
import { holdRun, leaseUntil } from "./hold-run.ts";
import { byKey, createSchedules, keyOf, type ScheduleParts } from "./schedules.ts";
import { isOver, moveRun } from "./states.ts";

/** What another process has changed is seen after this time at the latest. */
const lookMs = 10_000;
/** How often somebody who waits for a run of another process looks. */
const askMs = 500;
const dayMs = 24 * 3_600_000;

export type EngineParts = ScheduleParts & {
  execute: ExecuteParts;
  /** So many runs at a time in this plane. */
  most(): number;
  keepMs(): number;
};

export type Engine = ReturnType<typeof createEngine>;

/** Makes runs when they are due, begins them in the order of their priority, and goes on with those whose plane is gone. */
export function createEngine(parts: EngineParts) {
  const { store } = parts;
  const stopping = new AbortController();
  const active = new Map<string, { done: Promise<void>; cancel: AbortController }>();
  let cleanAt = 0;

  const find = async (job: string, owner: string | null) =>
    (await parts.jobs()).find(({ name, persona = null }) => name === job && persona === owner);

  /** False when somebody else has it, or when its job has no room. */
  async function begin(run: KeptJobRun, job: JobManifest): Promise<boolean> {
    const now = Date.now();
    const begun = run.state === "running" ? run : moveRun(run, "running", now);
    const claimed = { ...begun, starts: run.starts + 1, dueAt: leaseUntil(now) };
    const jobs = await store();
    if (active.has(run.id) || stopping.signal.aborted) return false;
    if (!(await jobs.claimJobRun(claimed, new Date(now).toISOString()))) return false;
    const held = holdRun({ ...claimed, revision: run.revision + 1 }, jobs.replaceJobRun);
    const cancel = new AbortController();
    const done = executeRun(held, job, parts.execute, { stopping: stopping.signal, cancelled: cancel.signal })
      // What could not be written is still there to be taken over when its lease is over.
      .catch(() => held.end())
      .finally(() => {
        active.delete(run.id);
        clock.wake();
      });
    active.set(run.id, { done, cancel });
    return true;
  }

  const isOurs = (run: KeptJobRun, job: JobManifest) =>
    !active.has(run.id) && (run.origin !== "schedule" || parts.principalFor(job) !== null);

  /** Begins what is due, as far as there is room. */
  async function beginAll(now: number): Promise<void> {
    const jobs = await store();
    let known: ReadonlyMap<string, JobManifest> | undefined;
    let limit = 2 * parts.most();
    while (active.size < parts.most() && !stopping.signal.aborted) {
      const found = await jobs.dueJobRuns(new Date(now).toISOString(), limit);
      if (found.length > 0) known ??= byKey(await parts.jobs());
      let begun = 0;
      for (const run of found) {
        if (active.size >= parts.most()) break;
        const job = known?.get(keyOf(run.job, run.owner));
        if (job && isOurs(run, job) && (await begin(run, job))) begun += 1;
      }
      // What others have to do must not hide what we can.
      if (begun === 0 && found.length < limit) return;
      if (begun === 0) limit *= 4;
    }
  }

  async function look(hasJumpedBack: boolean): Promise<number> {
    const now = Date.now();
    if (hasJumpedBack) await schedules.synchronize();
    if (now >= cleanAt) {
      cleanAt = now + dayMs;
      const before = new Date(now - parts.keepMs()).toISOString();
      while ((await (await store()).forgetJobRuns(before)) > 0 && !stopping.signal.aborted);
    }
    await schedules.fireAll(now);
    await beginAll(now);
    const next = await (await store()).nextJobDue(new Date(now).toISOString());
    return Math.min(lookMs, next === null ? lookMs : Math.max(0, Date.parse(next) - Date.now()));
  }

  const clock = createClock(look);
  const schedules = createSchedules(parts);

  return {
    /** From now on everything is done when it is due. */
    async start(): Promise<void> {
      await schedules.synchronize();
      clock.start();
    },
    synchronize: async () => {
      if (!clock.isRunning()) return;
      await schedules.synchronize();
      clock.wake();
    },
    wake: clock.wake,
    /** Begins this one here, whoever else there is. */
    async beginHere(run: KeptJobRun): Promise<boolean> {
      const job = await find(run.job, run.owner);
      return job !== undefined && begin(run, job);
    },
    isRunning: clock.isRunning,
    /** Ends it at once where it is done here. */
    cancelHere(id: string): boolean {
      const here = active.get(id);
      here?.cancel.abort(new Error("the run was cancelled"));
      return here !== undefined;
    },
    /** The run once it is over, or as it is after so long. */
    async ended(id: string, { waitMs, signal }: { waitMs: number; signal?: AbortSignal | undefined }) {
      const until = performance.now() + waitMs;
      for (;;) {
        const run = await (await store()).jobRun(id);
        const leftMs = until - performance.now();
        if (run === null || isOver(run.state) || leftMs <= 0 || signal?.aborted) return run;
        const over = new AbortController();
        const woken = AbortSignal.any(signal ? [over.signal, signal] : [over.signal]);
        await Promise.race([
          ...(active.has(id) ? [active.get(id)?.done] : []),
          pause(Math.min(askMs, leftMs), { signal: woken }),
        ]);
        over.abort();
      }
    },
    async stop(): Promise<void> {
      stopping.abort(new Error("the plane is stopping"));
      await clock.stop();
      await Promise.all([...active.values()].map(({ done }) => done));
    },
  };
}
