import type { AgentPackage, CodePackage } from "../../agent/agent.ts";
import { lazily } from "../../lib/async/lazily.ts";
import type { DueHandler } from "../../model/store.ts";
import type { DeadLetterVerbs, JobVerbs, SkillVerbs, WorkPackage } from "../../work/work.ts";
import { packageMissing } from "./left-out.ts";

const dayMs = 24 * 3_600_000;

function without(name: string): () => Promise<never> {
  return async () => {
    throw packageMissing(name);
  };
}

const refuseWork = without("work");

/** Nothing is due. */
const idle = (kind: DueHandler["kind"]): DueHandler => ({
  kind,
  lookMs: dayMs,
  onLook: async () => undefined,
  room: () => 0,
  begin: refuseWork,
});

/** A call that fails is not kept for later, and no job begins. */
const noWork: WorkPackage = {
  createDeadLetters: async () => ({
    verbs: lazily<DeadLetterVerbs, keyof DeadLetterVerbs>(refuseWork, [
      "page",
      "get",
      "retry",
      "resolve",
      "abandon",
      "delete",
      "restore",
    ]),
    accept: refuseWork,
    serverIsBack: async () => undefined,
    keep: async () => undefined,
    handler: idle("deadLetter"),
    stop: async () => undefined,
  }),
  createJobs: async () => ({
    verbs: lazily<JobVerbs, keyof JobVerbs>(refuseWork, [
      "get",
      "run",
      "rerun",
      "pause",
      "resume",
      "cancel",
      "status",
      "history",
    ]),
    skills: lazily<SkillVerbs, keyof SkillVerbs>(refuseWork, ["run"]),
    handler: idle("run"),
    synchronize: async () => undefined,
    stop: async () => undefined,
  }),
  createPlanner: refuseWork,
  showSchedules: refuseWork,
};

const isLeftOut = { isLeftOut: true };

/** Packages that a core alone is without: what uses them is refused, and calls go on. */
export const extraPackages = {
  agent: Object.assign(without("agent") as () => Promise<AgentPackage>, isLeftOut),
  code: Object.assign(without("code") as () => Promise<CodePackage>, isLeftOut),
  work: Object.assign(async () => noWork, isLeftOut),
};
