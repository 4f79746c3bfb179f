import type { Catalogue } from "../catalogue/catalogue.ts";
import { once } from "../lib/async/once.ts";
import { lazyVerbs } from "../lib/lazy-verbs.ts";
import type { JobListing } from "../model/catalogue/registry-summary.ts";
import type { Tool } from "../model/catalogue/tool.ts";
import { mayBelongTo } from "../model/catalogue/tool-name.ts";
import { PlaneError } from "../model/errors.ts";
import type { DueHandler } from "../model/store.ts";
import type { JobManifest } from "../model/work/job.ts";
import type { Recorder } from "../store/store.ts";
import type { DeadLetterParts, DeadLetters } from "./dead-letters/dead-letters.ts";
import type { DueLoop } from "./jobs/due-loop.ts";
import type { PlannerParts } from "./planner/check-plan.ts";
import type { JobParts } from "./skills/skill-calls.ts";

type Parts = Pick<JobParts, "config" | "defaultPrincipal" | "modelTrouble" | "currentPrincipal" | "plane"> &
  Pick<DeadLetterParts, "run"> &
  Omit<PlannerParts, "defaultPrincipal" | "testPolicy"> & {
    memory: Recorder;
    written: Pick<Catalogue, "loaded" | "manifests">;
    serverNames(): readonly string[];
    tools(): readonly Tool[];
    grants: JobParts["grants"];
    /** Does this plane run jobs by their schedules? */
    schedules: boolean;
  };

/** Skills, jobs, dead letters and the check of plans; each part is loaded when it is used or may be due. */
export function createWork(parts: Parts) {
  const dueWork = createDueWork(parts.memory);
  const deadLetters = createDeadLetters(parts, dueWork.wake);
  const isRunning = () => parts.schedules && dueWork.isRunning();
  const jobs = createJobs(parts, { ...dueWork, isRunning });
  const testPolicy: PlannerParts["testPolicy"] = (...asked) => parts.plane().policy.test(...asked);
  const planner = async () => (await import("./planner/check-plan.ts")).createPlanner({ ...parts, testPolicy });
  return {
    verbs: { deadLetters: deadLetters.verbs, ...jobs.verbs, plans: lazyVerbs(planner, { check: "checkPlan" }) },
    /** Keeps a call that failed permanently as a dead letter. */
    keepFailed: deadLetters.keep,
    schedulesOf: jobs.schedulesOf,
    /** Manifests have changed. */
    changed: jobs.changed,
    /** Something may be due. */
    wake: dueWork.wake,
    start: () => dueWork.start([deadLetters.handler, ...(parts.schedules ? [jobs.handler] : [])]),
    /** Begins nothing more. */
    halt: dueWork.halt,
    stopJobs: jobs.stop,
    stopDeadLetters: deadLetters.stop,
    /** Resolves when all due work that was begun is over or given back. */
    stop: dueWork.stop,
  };
}

type LoadHandler = () => Promise<DueHandler>;

/** One loop for all due work, from when the plane is started. */
function createDueWork({ store }: Pick<Recorder, "store">) {
  let loading: Promise<void> | null = null;
  let loop: DueLoop | null = null;
  let isHalted = false;

  async function load(handlers: readonly LoadHandler[]): Promise<void> {
    const { createDueLoop } = await import("./jobs/due-loop.ts");
    const loaded = await Promise.all(handlers.map((handler) => handler()));
    if (isHalted) return;
    loop = createDueLoop({ open: async () => (await store()).dueWork(), handlers: loaded, onTrouble: warn });
    loop.start();
  }
  const end = async (how: "halt" | "stop"): Promise<void> => {
    isHalted = true;
    await loading;
    await loop?.[how]();
  };

  return {
    start(handlers: readonly LoadHandler[]): void {
      loading ??= load(handlers).catch(warn);
    },
    wake: (): void => loop?.wake(),
    /** What this plane knows has changed. */
    changed: (): void => loop?.changed(),
    isRunning: (): boolean => loading !== null && !isHalted,
    halt: () => end("halt"),
    stop: () => end("stop"),
  };
}

function warn(thrown: unknown): void {
  // The store has reported that it is unreachable, and comes back.
  if (thrown instanceof PlaneError && thrown.data.lost === true) return;
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  process.emitWarning(`Jobs and failed calls are not begun: ${reason}`);
}

const deadLetterVerbs = {
  page: "deadLetters",
  get: "deadLetter",
  retry: "retryDeadLetter",
  resolve: "resolveDeadLetter",
  abandon: "abandonDeadLetter",
  delete: "deleteDeadLetter",
  restore: "restoreDeadLetter",
} as const;

function createDeadLetters({ serverNames, tools, memory, run, defaultPrincipal }: Parts, onDue: () => void) {
  const { store, emit } = memory;
  const knows: DeadLetterParts["knows"] = ({ server, tool }) =>
    server === null
      ? tools().some(({ id, name }) => id.server === null && name === tool) ||
        serverNames().some((name) => mayBelongTo(name, tool))
      : serverNames().includes(server);
  const loaded = once(async () => {
    const { createDeadLetters: create } = await import("./dead-letters/dead-letters.ts");
    return create({ store, emit, run, defaultPrincipal, knows, onDue });
  });
  const keep: DeadLetters["keep"] = async (call, record, error) => (await loaded()).keep(call, record, error);
  return {
    verbs: lazyVerbs(async () => (await loaded()).verbs, deadLetterVerbs),
    keep,
    handler: async () => (await loaded()).handler,
    stop: async () => void (loaded.made() && (await (await loaded()).stop())),
  };
}

const jobVerbs = {
  get: "job",
  run: "runJob",
  rerun: "rerunJob",
  pause: "pauseJob",
  resume: "resumeJob",
  cancel: "cancelJobRun",
  status: "jobRun",
  history: "jobRuns",
} as const;

function createJobs({ written, ...parts }: Parts, loop: JobParts["loop"]) {
  const loaded = once(async () => {
    const { createJobs: create } = await import("./jobs/jobs.ts");
    const manifests = async () => {
      await written.loaded();
      return written.manifests();
    };
    return create({ ...parts, loop, manifests });
  });
  const verbs = async () => (await loaded()).verbs;
  return {
    verbs: { jobs: lazyVerbs(verbs, jobVerbs), skills: lazyVerbs(verbs, { run: "runSkill" }) },
    async schedulesOf(jobs: readonly JobManifest[]): Promise<JobListing["schedule"][]> {
      if (jobs.length === 0) return [];
      const [{ showSchedules }, store] = await Promise.all([import("./jobs/schedule.ts"), parts.memory.store()]);
      return showSchedules(jobs, store);
    },
    handler: async () => (await loaded()).engine.handler,
    changed(): void {
      if (!loop.isRunning() || !loaded.made()) return loop.changed();
      void loaded()
        .then(({ engine }) => engine.synchronize())
        .catch(warn)
        .finally(loop.changed);
    },
    async stop(): Promise<void> {
      if (!loaded.made()) return;
      const { engine, stopSkills } = await loaded();
      stopSkills();
      await engine.stop();
    },
  };
}
