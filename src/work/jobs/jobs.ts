import type { Written } from "../../catalogue/changes/written-entries.ts";
import { once } from "../../lib/async/once.ts";
import type { JobListing } from "../../model/catalogue/registry-summary.ts";
import type { DueHandler } from "../../model/store.ts";
import type { JobVerbs, SkillVerbs } from "../../model/verbs.ts";
import type { JobManifest } from "../../model/work/job.ts";
import type { Catalogue } from "../../catalogue/catalogue.ts";






import type { Engine } from "./engine.ts";
import type { PlaneJobParts } from "./job-parts.ts";

export type PlaneJobs = {
  verbs: JobVerbs & SkillVerbs;
  /** When each of these is due, in their order. */
  schedulesOf(jobs: readonly JobManifest[]): Promise<JobListing["schedule"][]>;
  /** Begins jobs when they are due. */
  dueRuns(): Promise<DueHandler>;
  /** Manifests are others now. */
  changed(): void;
  stop(): Promise<void>;
};

type Given = Pick<
  PlaneJobParts,
  "config" | "memory" | "defaultPrincipal" | "loop" | "modelTrouble" | "healthChanged"
> & {
  written: Pick<Catalogue, "loaded" | "manifests">;
  identity: { current: PlaneJobParts["currentPrincipal"] };
};

type Room = { verbs: JobVerbs & SkillVerbs; engine: Engine; stopSkills(): Promise<void> };

/** Skills and jobs: loaded when somebody runs one, or when something may be due. */
export function createJobsWhenNeeded({ written, identity, ...given }: Given, plane: PlaneJobParts["plane"]): PlaneJobs {
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
    async schedulesOf(jobs) {
      if (jobs.length === 0) return [];
      const [{ showSchedules }, store] = await Promise.all([import("./schedule.ts"), given.memory.store()]);
      return showSchedules(jobs, store);
    },
    dueRuns: async () => (await room()).engine.handler,
    changed() {
      if (given.loop.isRunning() && room.made())
        void room()
          .then(({ engine }) => engine.synchronize())
          .catch(tell)
          .finally(given.loop.changed);
      else given.loop.changed();
    },
    async stop() {
      if (!room.made()) return;
      const { engine, stopSkills } = await room();
      await Promise.all([engine.stop(), stopSkills()]);
    },
  };
}
