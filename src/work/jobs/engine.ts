import { pause } from "../../lib/pause.ts";
import type { Begun, DueHandler } from "../../model/due-work.ts";
import type { JobManifest } from "../../model/job.ts";
import type { KeptJobRun } from "../../model/job-run.ts";
import { type ExecuteParts, executeRun } from "./execute-run.ts";
import { type HeldRun, holdRun, leaseUntil } from "./hold-run.ts";
import { byKey, createSchedules, keyOf, type ScheduleParts } from "./schedules.ts";
import { isOver, moveRun } from "./states.ts";

/** What another process has changed is seen after this time at the latest. */
const lookMs = 10_000;
/** Somebody else was faster, or has as many as may be; soon that may be over. */
const soonMs = 1_000;
const dayMs = 24 * 3_600_000;

export type EngineParts = ScheduleParts & {
  execute: ExecuteParts;
  /** So many runs at a time in this plane. */
  most(): number;
  keepMs(): number;
  /** What takes what is due, where this plane does that. */
  loop: { isRunning(): boolean; wake(): void };
  /** How often somebody who waits for a run of another process looks. */
  askMs(): number;
};

export type Engine = ReturnType<typeof createEngine>;

type Active = { done: Promise<void>; cancel: AbortController; held: HeldRun };

/** Makes runs when they are due, begins those it is given, and goes on with those whose plane is gone. */
export function createEngine(parts: EngineParts) {
  const { store } = parts;
  const stopping = new AbortController();
  const active = new Map<string, Active>();
  const waiting = new Set<() => void>();
  const schedules = createSchedules(parts);
  let cleanAt = 0;
  /** As they were at the last look: there may be thousands, and a look begins many runs. */
  let known: Promise<ReadonlyMap<string, JobManifest>> | null = null;

  async function find({ job, owner }: KeptJobRun): Promise<JobManifest | undefined> {
    known ??= parts.jobs().then(byKey);
    return (await known).get(keyOf(job, owner));
  }

  /** Null when somebody else has it, or when its job has no room. */
  async function claim(run: KeptJobRun, job: JobManifest): Promise<Active | null> {
    const now = Date.now();
    const begun = run.state === "running" ? run : moveRun(run, "running", now);
    const claimed = { ...begun, starts: run.starts + 1, dueAt: leaseUntil(now) };
    const jobs = await store();
    if (active.has(run.id) || stopping.signal.aborted) return null;
    if (!(await jobs.claimJobRun(claimed, new Date(now).toISOString()))) return null;
    const held = holdRun(
      { ...claimed, revision: run.revision + 1 },
      { replace: jobs.replaceJobRun, read: jobs.jobRun, stopping: stopping.signal },
    );
    const cancel = new AbortController();
    const done = executeRun(held, job, parts.execute, { stopping: stopping.signal, cancelled: cancel.signal })
      // What could not be written is still there to be taken over when its lease is over.
      .catch(() => held.end())
      .finally(() => {
        active.delete(run.id);
        wakeWaiting();
      });
    const here = { done, cancel, held };
    active.set(run.id, here);
    return here;
  }

  function wakeWaiting(): void {
    for (const wake of waiting) wake();
  }

  /** Whoever has it now says when it is due again, and that is in the store. */
  async function endOf({ done, held }: Active): Promise<number | null> {
    await done;
    const kept = held.lost.aborted ? await (await store()).jobRun(held.current().id) : held.current();
    return kept?.dueAt ? Date.parse(kept.dueAt) : null;
  }

  const handler: DueHandler = {
    kind: "run",
    lookMs,
    room: () => (stopping.signal.aborted ? 0 : parts.most() - active.size),
    async onLook(now, hasJumpedBack) {
      known = null;
      if (hasJumpedBack || cleanAt === 0) await schedules.synchronize();
      if (now >= cleanAt) {
        const before = new Date(now - parts.keepMs()).toISOString();
        while ((await (await store()).forgetJobRuns(before)) > 0 && !stopping.signal.aborted);
        cleanAt = now + dayMs;
      }
      await schedules.fireAll(now);
    },
    async begin({ id }): Promise<Begun> {
      const run = await (await store()).jobRun(id);
      const now = Date.now();
      if (run === null || run.dueAt === null) return { is: "over" };
      // Somebody does it who was not given it here, or is about to.
      if (active.has(id) || Date.parse(run.dueAt) > now) return { is: "later", at: Date.parse(run.dueAt) };
      const job = await find(run);
      if (job === undefined) return { is: "unknown" };
      if (run.origin === "schedule" && parts.principalFor(job) === null)
        return { is: "later", at: now + lookMs };
      const begun = await claim(run, job);
      return begun === null ? { is: "later", at: now + soonMs } : { is: "begun", ended: endOf(begun) };
    },
  };

  return {
    handler,
    synchronize: schedules.synchronize,
    isRunning: parts.loop.isRunning,
    wake: parts.loop.wake,
    /** Begins this one here, whoever else there is. */
    async beginHere(run: KeptJobRun): Promise<boolean> {
      known = null;
      const job = await find(run);
      return job !== undefined && (await claim(run, job)) !== null;
    },
    /** Ends it at once where it is done here. */
    cancelHere(id: string): boolean {
      const here = active.get(id);
      here?.cancel.abort(new Error("the run was cancelled"));
      return here !== undefined;
    },
    /** Another plane has ended a run: it may be one that is done here, or waited for. */
    heard(id: string): void {
      void active.get(id)?.held.renew();
      wakeWaiting();
    },
    /** The run once it is over, or as it is after so long. */
    async ended(id: string, { waitMs, signal }: { waitMs: number; signal?: AbortSignal | undefined }) {
      const until = performance.now() + waitMs;
      for (;;) {
        const woken = Promise.withResolvers<void>();
        waiting.add(woken.resolve);
        const over = new AbortController();
        try {
          const run = await (await store()).jobRun(id);
          const leftMs = until - performance.now();
          if (run === null || isOver(run.state) || leftMs <= 0 || signal?.aborted) return run;
          const either = AbortSignal.any(signal ? [over.signal, signal] : [over.signal]);
          await Promise.race([woken.promise, pause(Math.min(parts.askMs(), leftMs), { signal: either })]);
        } finally {
          over.abort();
          waiting.delete(woken.resolve);
        }
      }
    },
    async stop(): Promise<void> {
      stopping.abort(new Error("the plane is stopping"));
      await Promise.all([...active.values()].map(({ done }) => done));
    },
  };
}
