import { createDeadLetters } from "../../packages/work/src/dead-letters/dead-letters.ts";
import { createEngine } from "../../packages/work/src/jobs/engine.ts";
import type { Outcome, Requested } from "../../src/model/calls/call.ts";
import { PlaneError, reportError } from "../../src/model/errors.ts";
import type { PlaneEvent } from "../../src/model/events.ts";
import { principalOf } from "../../src/model/principal.ts";
import type { Store } from "../../src/model/store.ts";
import type { JobManifest } from "../../src/model/work/job.ts";
import type { KeptJobRun } from "../../src/model/work/job-run.ts";
import { createDueLoop } from "../../src/work/due-loop.ts";

/** Stores on the same state, one for each plane, and its time. */
export type EngineWorld = {
  open(): Promise<Store>;
  /** Every clock is so much later, until it is disposed of. */
  later(ms: number): Promise<Disposable>;
  /** Nothing is left over of it for anybody to do. */
  leftOver(): Promise<number>;
};

export type Work = (job: string, signal: AbortSignal, run: KeptJobRun) => Promise<void>;

export type PlaneParts = {
  jobs?: JobManifest[];
  work?: Work;
  most?: number;
  /** What becomes of a call that is made again. */
  call?(call: Requested): Promise<boolean>;
  knows?: boolean;
};

/** What a plane does about things that are due, on a store of its own. */
export async function planeOn(world: EngineWorld, parts: PlaneParts) {
  const {
    jobs = [],
    work = async () => undefined,
    most = 4,
    call = async () => true,
    knows = true,
  } = parts;
  const store = await world.open();
  const ended: KeptJobRun[] = [];
  const events: PlaneEvent["type"][] = [];
  const emit = (event: PlaneEvent) => void events.push(event.type);
  const opened = async () => store;
  let known: readonly JobManifest[] = jobs;
  const engine = createEngine({
    store: opened,
    jobs: async () => known,
    emit,
    maxRuns: () => most,
    keepMs: () => 1e12,
    principalFor: () => principalOf({ user: "ada", persona: "Atlas" }),
    askMs: () => 5_000,
    loop: { isRunning: () => true, wake: () => loop.wake() },
    execute: {
      emit,
      check: async () => undefined,
      work: (run) => async (_task, _input, _memory, signal) => {
        await work(run.job, signal, run);
        return null;
      },
      onEnded: async (_job, run) => void ended.push(run),
    },
  });
  const letters = createDeadLetters({
    store: opened,
    emit,
    knows: () => knows,
    onDue: () => loop.wake(),
    run: async (request) => outcomeOf(request, await call(request)),
  });
  const ready = Promise.withResolvers<void>();
  const loop = createDueLoop({
    async open() {
      const due = await store.dueWork();
      ready.resolve();
      return due;
    },
    handlers: [engine.handler, letters.handler],
    onTrouble: ready.reject,
  });
  const leave = store.watch((news) => {
    if (news.what === "jobRun") engine.heard(news.id);
    if (news.what === "dueWork") loop.wake();
  });
  return {
    store,
    engine,
    letters,
    loop,
    ended,
    events,
    /** Resolves when what is due is given out to it. */
    start(): Promise<void> {
      loop.start();
      return ready.promise;
    },
    async stop(): Promise<void> {
      leave();
      await loop.halt();
      await Promise.all([engine.stop(), letters.stop()]);
      await loop.stop();
      await store.close();
    },
    /** Manifests are others now. */
    learn(job: JobManifest): void {
      known = [...known, job];
      loop.changed();
    },
    [Symbol.asyncDispose](): Promise<void> {
      return this.stop();
    },
  };
}

function outcomeOf({ id }: Requested, ok: boolean): Outcome {
  const facts = {
    durationMs: 1,
    provider: null,
    attempts: 1,
    repaired: false,
    dropped: [],
    warnings: [],
  };
  const call = { id, tool: "notes.write", ...facts };
  if (ok) return { ok, call: { ...call, status: "succeeded" }, result: { content: [] } };
  const error = reportError(new PlaneError("CANCELLED", "the caller gave up"));
  return { ok, call: { ...call, status: "cancelled" }, error };
}

/** Work that waits until it may go on, or is aborted. */
export function gate() {
  const open = Promise.withResolvers<void>();
  const begun: string[] = [];
  const work: Work = (_job, signal, run) => {
    begun.push(run.id);
    return Promise.race([
      open.promise,
      new Promise<void>((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
      ),
    ]);
  };
  return { work, begun, open: open.resolve };
}

/** Work that takes a turn, and how many of it there were at a time. */
export function counting() {
  const seen = { now: 0, most: 0, runs: [] as string[] };
  const work: Work = async (_job, _signal, run) => {
    seen.runs.push(run.id);
    seen.most = Math.max(seen.most, ++seen.now);
    await new Promise(setImmediate);
    seen.now -= 1;
  };
  return { work, seen };
}
