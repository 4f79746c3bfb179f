import type { Access } from "../access/access.ts";
import type { Agent } from "../agent/agent.ts";
import type { Calls } from "../calls/calls.ts";
import { appliesHere, type Catalogue, type Configuration } from "../catalogue/catalogue.ts";
import type { Settings } from "../config/config.ts";
import { lazily } from "../lib/async/lazily.ts";
import { once } from "../lib/async/once.ts";
import { errorText } from "../lib/text/error-text.ts";
import type { JobListing } from "../model/catalogue/registry-summary.ts";
import { mayBelongTo } from "../model/catalogue/tool-name.ts";
import { PlaneError } from "../model/errors.ts";
import type { Plane } from "../model/plane.ts";
import type { PlaneOptions } from "../model/plane-options.ts";
import type { Principal } from "../model/principal.ts";
import type { DueHandler, Store } from "../model/store.ts";
import { isDead } from "../model/work/dead-letter.ts";
import type { JobManifest } from "../model/work/job.ts";
import type { Servers } from "../servers/servers.ts";
import type { Recorder } from "../store/store.ts";
import type { DueLoop } from "./due-loop.ts";
import { handleOnDemand } from "./handle-on-demand.ts";
import { withOwnWork } from "./own-work.ts";
import type {
  DeadLetterParts,
  DeadLetters,
  DeadLetterVerbs,
  JobParts,
  JobVerbs,
  SkillVerbs,
  ToolPlanVerbs,
  WorkPackage,
} from "./work-package.ts";

export type {
  DeadLetterParts,
  DeadLetters,
  DeadLetterVerbs,
  JobParts,
  Jobs,
  JobVerbs,
  PlannerParts,
  SkillVerbs,
  ToolPlanVerbs,
  WorkPackage,
} from "./work-package.ts";

const dayMs = 24 * 3_600_000;
/** Runs that other processes add are seen after this time at the latest. */
export const lookForRunsMs = 10_000;

type WorkContext = {
  readonly settings: Pick<Settings, "config">;
  readonly options: Pick<PlaneOptions, "schedules">;
  readonly packages: { work(): Promise<WorkPackage> };
  readonly defaultPrincipal: Principal;
  readonly recorder: Recorder;
  readonly access: Access;
  readonly catalogue: Catalogue;
  readonly servers: Servers;
  readonly calls: Calls;
  readonly agent: Agent;
  readonly plane: Plane;
};

/** Skills, jobs, dead letters and the check of plans. The package is loaded when it is used or something may be due. */
export function createWork(context: WorkContext) {
  const { options, packages, recorder, access, catalogue, calls } = context;
  const schedules = options.schedules === true;
  const dueWork = createDueWork(recorder);
  const deadLetters = createDeadLetters(context, dueWork);
  const isRunning = () => schedules && dueWork.isRunning();
  const jobs = createJobs(context, { ...dueWork, isRunning });
  const plans: ToolPlanVerbs = {
    async check(...args) {
      const { createPlanner } = await packages.work();
      const planner = await createPlanner({
        find: calls.lookup,
        grants: access.grants,
        quality: catalogue.quality,
        checkArguments: calls.checkSchema,
        testPolicy: context.plane.policy.test,
      });
      return planner.check(...args);
    },
  };
  return {
    verbs: { deadLetters: deadLetters.verbs, jobs: jobs.verbs, skills: jobs.skills, plans },
    /** Keeps a call that failed permanently as a dead letter. */
    keepFailed: deadLetters.keep,
    /** Takes on a call that could not be sent, because its caller chose so. */
    accept: deadLetters.accept,
    schedulesOf: jobs.schedulesOf,
    /** Manifests have changed. */
    changed: jobs.changed,
    /** Something may be due. */
    wake: dueWork.wake,
    start: () => dueWork.start([deadLetters.handler, ...(schedules ? [jobs.handler] : [])]),
    /** Begins nothing more. */
    halt: dueWork.halt,
    stopJobs: jobs.stop,
    stopDeadLetters: deadLetters.stop,
    /** Resolves when all due work that was begun is over or given back. */
    stop: dueWork.stop,
  };
}

/** One loop for all due work, from when the plane is started. */
function createDueWork({ store }: Pick<Recorder, "store">) {
  let loading: Promise<void> | null = null;
  let loop: DueLoop | null = null;
  let isHalted = false;

  async function load(handlers: readonly DueHandler[]): Promise<void> {
    const { createDueLoop } = await import("./due-loop.ts");
    if (isHalted) return;
    loop = createDueLoop({
      open: async () => (await store()).dueWork(),
      handlers,
      onTrouble: warn,
    });
    loop.start();
  }
  const end = async (step: "halt" | "stop"): Promise<void> => {
    isHalted = true;
    await loading;
    await loop?.[step]();
  };

  return {
    start(handlers: readonly DueHandler[]): void {
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
  const reason = errorText(thrown);
  process.emitWarning(`Jobs and failed calls are not started: ${reason}`);
}

/** Made once for each store and configuration. */
function ownStore({ store, configuration }: Pick<Recorder, "store" | "configuration">) {
  let cached: { of: Store; by: Configuration; own: Store } | undefined;
  return async (): Promise<Store> => {
    const [sharedStore, currentConfiguration] = [await store(), configuration()];
    if (cached?.of !== sharedStore || cached.by !== currentConfiguration)
      cached = {
        of: sharedStore,
        by: currentConfiguration,
        own: withOwnWork(sharedStore, currentConfiguration),
      };
    return cached.own;
  };
}

function createDeadLetters(
  { packages, servers, catalogue, recorder, calls }: WorkContext,
  { wake: onDue, isRunning }: Pick<ReturnType<typeof createDueWork>, "wake" | "isRunning">,
) {
  const { emit, configuration } = recorder;
  const store = ownStore(recorder);
  const { run } = calls;
  const hasTool = (server: string | null, tool: string) =>
    server === null
      ? catalogue.registry.all().some(({ id, name }) => id.server === null && name === tool) ||
        servers.names().some((name) => mayBelongTo(name, tool))
      : servers.names().includes(server);
  const knows: DeadLetterParts["knows"] = (letter) =>
    appliesHere(letter, configuration()) && hasTool(letter.server, letter.tool);
  const loaded = once(async () => {
    const { createDeadLetters: create } = await packages.work();
    return create({ store, emit, run, knows, onDue });
  });
  const keep: DeadLetters["keep"] = async (call, record, error) => {
    // One that is loaded may be making the call again.
    if (loaded.made() || isDead(call, record)) await (await loaded()).keep(call, record, error);
  };
  const hasPending = async (server: string) => {
    const { byStatus } = await (await store()).deadLetters({ server, limit: 1 });
    return byStatus.pending > 0;
  };
  const isBack = async (server: string) => {
    if (isRunning() && (await hasPending(server))) await (await loaded()).serverIsBack(server);
  };
  const unsubscribe = recorder.on(
    "server.connected",
    ({ server }) => void isBack(server).catch(warn),
  );
  const verbs: DeadLetterVerbs = lazily(
    async () => (await loaded()).verbs,
    ["page", "get", "retry", "resolve", "abandon", "delete", "restore"],
  );
  return {
    verbs,
    keep,
    accept: async (...unsent: Parameters<DeadLetters["accept"]>) =>
      (await loaded()).accept(...unsent),
    handler: handleOnDemand({
      kind: "deadLetter",
      lookMs: dayMs,
      load: loaded,
      room: 1,
      mayHaveWork: async () => false,
      hasRecords: async () => (await (await store()).deadLetters({ limit: 1 })).total > 0,
    }),
    async stop(): Promise<void> {
      unsubscribe();
      if (loaded.made()) await (await loaded()).stop();
    },
  };
}

function createJobs(context: WorkContext, loop: JobParts["loop"]) {
  const { settings, packages, recorder, defaultPrincipal, access, catalogue, servers, agent } =
    context;
  const store = ownStore(recorder);
  const manifests = async () => {
    await catalogue.loaded();
    return catalogue.manifests();
  };
  const loaded = once(async () => {
    const { createJobs: create } = await packages.work();
    return create({
      config: settings.config,
      recorder: { ...recorder, store },
      isOurs: (run) => appliesHere(run, recorder.configuration()),
      defaultPrincipal,
      loop,
      manifests,
      currentPrincipal: access.identity.current,
      serverNames: servers.names,
      tools: catalogue.registry.all,
      grants: access.grants,
      modelTrouble: agent.modelTrouble,
      plane: () => context.plane,
    });
  });
  const verbs: JobVerbs = lazily(
    async () => (await loaded()).verbs,
    ["get", "run", "rerun", "pause", "resume", "cancel", "status", "history"],
  );
  const skills: SkillVerbs = lazily(async () => (await loaded()).skills, ["run"]);
  return {
    verbs,
    skills,
    async schedulesOf(jobs: readonly JobManifest[]): Promise<JobListing["schedule"][]> {
      if (jobs.length === 0) return [];
      const [{ showSchedules }, opened] = await Promise.all([packages.work(), store()]);
      return showSchedules(jobs, opened);
    },
    handler: handleOnDemand({
      kind: "run",
      lookMs: lookForRunsMs,
      load: loaded,
      // Without a manifest there is no run that this plane could begin.
      room: 0,
      mayHaveWork: async () => (await manifests()).jobs.length > 0,
      hasRecords: async () => (await (await recorder.store()).jobRuns({ limit: 1 })).length > 0,
    }),
    changed(): void {
      if (!loop.isRunning() || !loaded.made()) return loop.changed();
      void loaded()
        .then((jobs) => jobs.synchronize())
        .catch(warn)
        .finally(loop.changed);
    },
    async stop(): Promise<void> {
      if (loaded.made()) await (await loaded()).stop();
    },
  };
}
