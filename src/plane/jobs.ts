import type { Engine } from "../jobs/engine.ts";
import { once } from "../lib/once.ts";
import type { JobVerbs } from "../model/job-verbs.ts";
import type { SkillVerbs } from "../model/skill-run.ts";
import type { PlaneJobParts } from "./job-parts.ts";
import type { PlaneOptions } from "./options.ts";
import type { Written } from "./written.ts";

export type PlaneJobs = {
  verbs: JobVerbs & SkillVerbs;
  /** From now on jobs are done when they are due, where this plane was asked to do that. */
  start(): void;
  /** Manifests are others now. */
  changed(): void;
  stop(): Promise<void>;
};

type Given = Pick<PlaneJobParts, "config" | "memory" | "everybody"> & {
  written: Pick<Written, "loaded" | "manifests">;
  identity: { current: PlaneJobParts["currentPrincipal"] };
  options: Pick<PlaneOptions, "schedules">;
};

type Room = { verbs: JobVerbs & SkillVerbs; engine: Engine; stopSkills(): Promise<void> };

/** Skills and jobs: loaded when somebody runs one, or when something may be due. */
export function createJobsWhenNeeded(
  { written, identity, options, ...given }: Given,
  plane: PlaneJobParts["plane"],
): PlaneJobs {
  const { schedules = false } = options;
  const parts: PlaneJobParts = {
    ...given,
    plane,
    currentPrincipal: identity.current,
    async manifests() {
      await written.loaded();
      return written.manifests();
    },
  };
  const room: (() => Promise<Room>) & { made(): boolean } = once(async () => {
    const { createJobRoom } = await import("./job-room.ts");
    return createJobRoom(parts);
  });
  const verbs = async () => (await room()).verbs;
  const tell = (thrown: unknown) =>
    process.emitWarning(`Jobs are not begun: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  return {
    verbs: {
      runSkill: async (name, input, options) => (await verbs()).runSkill(name, input, options),
      job: async (name, caller) => (await verbs()).job(name, caller),
      runJob: async (name, options) => (await verbs()).runJob(name, options),
      rerunJob: async (run, options) => (await verbs()).rerunJob(run, options),
      pauseJob: async (name, caller) => (await verbs()).pauseJob(name, caller),
      resumeJob: async (name, caller) => (await verbs()).resumeJob(name, caller),
      cancelJobRun: async (run, caller) => (await verbs()).cancelJobRun(run, caller),
      jobRun: async (run, caller) => (await verbs()).jobRun(run, caller),
      jobRuns: async (name, query, caller) => (await verbs()).jobRuns(name, query, caller),
    },
    start() {
      if (schedules)
        void room()
          .then(({ engine }) => engine.start())
          .catch(tell);
    },
    changed() {
      if (room.made())
        void room()
          .then(({ engine }) => engine.synchronize())
          .catch(tell);
    },
    async stop() {
      if (!room.made()) return;
      const { engine, stopSkills } = await room();
      await Promise.all([engine.stop(), stopSkills()]);
    },
  };
}
