import { createEngine } from "../../packages/work/src/jobs/engine.ts";
import { fire, type ScheduledJob, scheduleOf } from "../../packages/work/src/jobs/schedule.ts";
import { principalOf } from "../../src/model/principal.ts";
import type { Store } from "../../src/model/store.ts";
import { JobManifest } from "../../src/model/work/job.ts";
import { createDueLoop } from "../../src/work/due-loop.ts";
import { median } from "../report.ts";

export const all = 10_000;
export const dueAtOnce = 1_000;
export const concurrency = 8;
const rounds = 15;

export type Measured = {
  rows: [what: string, ms: number][];
  scanMs: number;
  outOfOrder: number;
  atATime: number;
};

/** A thousand are due in the minute that has passed, the others at times of a later day. */
function jobAt(at: number, now: number): ScheduledJob {
  const later = new Date(now + (2 + (at % 20)) * 3_600_000);
  const cron = at < dueAtOnce ? "* * * * *" : `${at % 60} ${later.getUTCHours()} * * *`;
  const manifest = {
    name: `job-${at}`,
    personas: ["Atlas"],
    task_graph: [{ task: "work" }],
    priority: at % 21,
    recurrence: { cron, timezone: at % 2 === 0 ? "UTC" : "Europe/Berlin" },
  };
  return JobManifest.parse(manifest) as ScheduledJob;
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const begun = performance.now();
  const value = await work();
  return { ms: performance.now() - begun, value };
}

async function medianOf(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) times.push((await timed(work)).ms);
  return median(times);
}

/** Ten thousand schedules on this store, and a thousand runs of them from their time to their end. */
export async function measure(store: Store): Promise<Measured> {
  const start = Date.now() - 60_000;
  const jobs = Array.from({ length: all }, (_, at) => jobAt(at, start));
  const first = await timed(() =>
    store.putJobSchedules(jobs.map((job) => scheduleOf(job, null, start))),
  );
  const soon = new Date().toISOString();
  const scanMs = await medianOf(() => store.dueJobSchedules(soon));
  const quiet = await medianOf(() => store.dueJobSchedules(new Date(start).toISOString()));
  const due = await store.dueJobSchedules(soon);
  const byName = new Map(jobs.map((job) => [job.name, job]));
  const reckoned = await timed(async () =>
    due.map((schedule) => fire(byName.get(schedule.job) as ScheduledJob, schedule, Date.now())),
  );
  const drained = await drain(store, jobs, due.length);
  return {
    rows: [
      [`first reckoning and writing of ${all} schedules`, first.ms],
      [`scan with ${due.length} due`, scanMs],
      ["scan with nothing due", quiet],
      [`next times of ${due.length}`, reckoned.ms],
      [`${due.length} runs made, begun, written down and ended`, drained.ms],
    ],
    scanMs,
    outOfOrder: drained.outOfOrder,
    atATime: drained.atATime,
  };
}

async function drain(store: Store, jobs: ScheduledJob[], count: number) {
  const begun: number[] = [];
  let now = 0;
  let atATime = 0;
  let ended = 0;
  const over = Promise.withResolvers<void>();
  const emit = () => undefined;
  const engine = createEngine({
    store: async () => store,
    jobs: async () => jobs,
    emit,
    maxRuns: () => concurrency,
    keepMs: () => 1e12,
    principalFor: () => principalOf({ user: "bench", persona: "Atlas" }),
    askMs: () => 500,
    loop: { isRunning: () => true, wake: () => loop.wake() },
    execute: {
      emit,
      check: async () => undefined,
      work: (run) => async () => {
        begun.push(run.priority);
        atATime = Math.max(atATime, ++now);
        await new Promise(setImmediate);
        now -= 1;
        return null;
      },
      onEnded: async () => {
        ended += 1;
        if (ended === count) over.resolve();
      },
    },
  });
  const loop = createDueLoop({
    open: store.dueWork,
    handlers: [engine.handler],
    onTrouble: over.reject,
  });
  const { ms } = await timed(async () => {
    loop.start();
    await over.promise;
  });
  await loop.halt();
  await engine.stop();
  await loop.stop();
  // Runs that began before one that was more urgent, beyond those that were under way at the same time.
  const outOfOrder = begun.filter((priority, at) =>
    begun.slice(at + concurrency).some((later) => later > priority),
  ).length;
  return { ms, outOfOrder, atATime };
}
